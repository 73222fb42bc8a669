(** VerifiedFT-v2 as Figure 4 of 001 has it, with a vector of reads that grows by copy and publication, for one variable: its handlers refine the atomic rules. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VerifiedFT VerifiedFTRules.

(** The Rust code has sets of reads in place of these vectors; its model, for all variables and with the handlers of synchronisation, is in [Handlers]. This
    one is here for the paper's own design, and for what the paper's CIVL script leaves out: the growth of the vector. Sequential consistency, as there. *)

(** ** Atomic specification (the rules, as a relation; [None] = race) *)
Definition rd_slow (c : vc) (t : tid) (s : vftS) : option vftS :=
  if ele (vW s) c then
    match vR s with
    | REpoch r => if ele r c then Some (mkV (vV s) (REpoch (t, c t)) (vW s))
                  else Some (mkV (lset (lset [] (fst r) (snd r)) t (c t)) RShared (vW s))
    | RShared => Some (mkV (lset (vV s) t (c t)) RShared (vW s))
    end
  else None.
Definition rd_same (c : vc) (t : tid) (s : vftS) : Prop :=
  match vR s with REpoch r => r = (t, c t) | RShared => lget (vV s) t = c t end.
Definition wr_slow (c : vc) (t : tid) (s : vftS) : option vftS :=
  if ele (vW s) c then
    match vR s with
    | REpoch r => if ele r c then Some (mkV (vV s) (vR s) (t, c t)) else None
    | RShared => if lle (vV s) c then Some (mkV (vV s) RShared (t, c t)) else None
    end
  else None.

Inductive call := CRd (c : vc) | CWr (c : vc).
(** spec t k s b s': call k of thread t from s may return b and leave s' *)
Inductive spec (t : tid) : call -> vftS -> bool -> vftS -> Prop :=
| sp_rd_same c s : rd_same c t s -> spec t (CRd c) s true s
| sp_rd_ok c s s' : rd_slow c t s = Some s' -> spec t (CRd c) s true s'
| sp_rd_race c s : rd_slow c t s = None -> spec t (CRd c) s false s
| sp_wr_same c s : vW s = (t, c t) -> spec t (CWr c) s true s
| sp_wr_ok c s s' : wr_slow c t s = Some s' -> spec t (CWr c) s true s'
| sp_wr_race c s : wr_slow c t s = None -> spec t (CWr c) s false s.

Inductive ast := AIdle | APend (k : call) | ADone (b : bool).
Record abs := mkA { aS : vftS; aT : tid -> ast }.
Inductive lab := Tau | Inv_ (t : tid) (k : call) | Ret_ (t : tid) (b : bool).
Inductive astep : abs -> lab -> abs -> Prop :=
| a_inv s T t k : T t = AIdle -> astep (mkA s T) (Inv_ t k) (mkA s (upd T t (APend k)))
| a_lin s T t k b s' : T t = APend k -> spec t k s b s' -> astep (mkA s T) Tau (mkA s' (upd T t (ADone b)))
| a_ret s T t b : T t = ADone b -> astep (mkA s T) (Ret_ t b) (mkA s (upd T t AIdle)).

(** ** Concrete handlers *)
Record mem := mkM { heap : list lvc; cur : nat; mR : rstate; mW : epoch; lk : option tid }.
Definition mV (m : mem) : lvc := nth (cur m) (heap m) [].

Inductive pc :=
| Idle
| R1 (c : vc)                 (* unlocked load of R *)
| R2 (c : vc)                 (* saw SHARED: load the array pointer *)
| R2b (c : vc) (p : nat)      (* load element t of array p *)
| R3 (c : vc)                 (* acquire *)
| R4 (c : vc) | R5 (c : vc)   (* locked loads of W, R *)
| R6 (c : vc)                 (* R := E_t *)
| R7 (c : vc) (r : epoch)     (* build V = [u:=r, t:=E_t] *)
| R7d (c : vc) (r : epoch)    (* R := SHARED *)
| R8 (c : vc)                 (* V[t] := E_t, in place or copy *)
| R8b (c : vc) (p : nat)      (* publish the grown copy *)
| W1 (c : vc) | W3 (c : vc) | W4 (c : vc) | W5 (c : vc)
| W6 (c : vc)                 (* W := E_t *)
| W7 (c : vc) (k : nat)       (* compare V[k] with c k *)
| Unl (b : bool) | Ret (b : bool).

Fixpoint nset {A} (l : list A) (i : nat) (a : A) : list A :=
  match l, i with [], _ => [] | _ :: r, 0 => a :: r | x :: r, S i' => x :: nset r i' a end.

(** one step of thread t; sets memory and next pc *)
Inductive tstep (t : tid) : mem -> pc -> lab -> mem -> pc -> Prop :=
| s_inv_r m c : tstep t m Idle (Inv_ t (CRd c)) m (R1 c)
| s_inv_w m c : tstep t m Idle (Inv_ t (CWr c)) m (W1 c)
| s_R1_hit m c : mR m = REpoch (t, c t) -> tstep t m (R1 c) Tau m (Ret true)
| s_R1_sh m c : mR m = RShared -> tstep t m (R1 c) Tau m (R2 c)
| s_R1_no m c r : mR m = REpoch r -> r <> (t, c t) -> tstep t m (R1 c) Tau m (R3 c)
| s_R2 m c : tstep t m (R2 c) Tau m (R2b c (cur m))
| s_R2b_hit m c p : lget (nth p (heap m) []) t = c t -> tstep t m (R2b c p) Tau m (Ret true)
| s_R2b_no m c p : lget (nth p (heap m) []) t <> c t -> tstep t m (R2b c p) Tau m (R3 c)
| s_R3 m c : lk m = None -> tstep t m (R3 c) Tau (mkM (heap m) (cur m) (mR m) (mW m) (Some t)) (R4 c)
| s_R4_race m c : ele (mW m) c = false -> tstep t m (R4 c) Tau m (Unl false)
| s_R4 m c : ele (mW m) c = true -> tstep t m (R4 c) Tau m (R5 c)
| s_R5_ex m c r : mR m = REpoch r -> ele r c = true -> tstep t m (R5 c) Tau m (R6 c)
| s_R5_share m c r : mR m = REpoch r -> ele r c = false -> tstep t m (R5 c) Tau m (R7 c r)
| s_R5_sh m c : mR m = RShared -> tstep t m (R5 c) Tau m (R8 c)
| s_R6 m c : tstep t m (R6 c) Tau (mkM (heap m) (cur m) (REpoch (t, c t)) (mW m) (lk m)) (Unl true)
| s_R7 m c r : tstep t m (R7 c r) Tau
    (mkM (heap m ++ [lset (lset [] (fst r) (snd r)) t (c t)]) (length (heap m)) (mR m) (mW m) (lk m)) (R7d c r)
| s_R7d m c r : tstep t m (R7d c r) Tau (mkM (heap m) (cur m) RShared (mW m) (lk m)) (Unl true)
| s_R8_in m c : t < length (mV m) ->
    tstep t m (R8 c) Tau (mkM (nset (heap m) (cur m) (lset (mV m) t (c t))) (cur m) (mR m) (mW m) (lk m)) (Unl true)
| s_R8_grow m c : length (mV m) <= t ->
    tstep t m (R8 c) Tau (mkM (heap m ++ [lset (mV m) t (c t)]) (cur m) (mR m) (mW m) (lk m)) (R8b c (length (heap m)))
| s_R8b m c p : tstep t m (R8b c p) Tau (mkM (heap m) p (mR m) (mW m) (lk m)) (Unl true)
| s_W1_hit m c : mW m = (t, c t) -> tstep t m (W1 c) Tau m (Ret true)
| s_W1_no m c : mW m <> (t, c t) -> tstep t m (W1 c) Tau m (W3 c)
| s_W3 m c : lk m = None -> tstep t m (W3 c) Tau (mkM (heap m) (cur m) (mR m) (mW m) (Some t)) (W4 c)
| s_W4_race m c : ele (mW m) c = false -> tstep t m (W4 c) Tau m (Unl false)
| s_W4 m c : ele (mW m) c = true -> tstep t m (W4 c) Tau m (W5 c)
| s_W5_race m c r : mR m = REpoch r -> ele r c = false -> tstep t m (W5 c) Tau m (Unl false)
| s_W5_ex m c r : mR m = REpoch r -> ele r c = true -> tstep t m (W5 c) Tau m (W6 c)
| s_W5_sh m c : mR m = RShared -> tstep t m (W5 c) Tau m (W7 c 0)
| s_W7_race m c k : k < length (mV m) -> c k < lget (mV m) k -> tstep t m (W7 c k) Tau m (Unl false)
| s_W7_next m c k : k < length (mV m) -> lget (mV m) k <= c k -> tstep t m (W7 c k) Tau m (W7 c (S k))
| s_W7_end m c k : length (mV m) <= k -> tstep t m (W7 c k) Tau m (W6 c)
| s_W6 m c : tstep t m (W6 c) Tau (mkM (heap m) (cur m) (mR m) (t, c t) (lk m)) (Unl true)
| s_Unl m b : tstep t m (Unl b) Tau (mkM (heap m) (cur m) (mR m) (mW m) None) (Ret b)
| s_Ret m b : tstep t m (Ret b) (Ret_ t b) m Idle.

Record conc := mkC { cM : mem; cP : tid -> pc }.
Inductive cstep : conc -> lab -> conc -> Prop :=
| c_step m P t l m' p' : tstep t m (P t) l m' p' -> cstep (mkC m P) l (mkC m' (upd P t p')).

(** ** Simulation *)
Definition crit (p : pc) : bool :=
  match p with
  | R4 _ | R5 _ | R6 _ | R7 _ _ | R7d _ _ | R8 _ | R8b _ _ | W4 _ | W5 _ | W6 _ | W7 _ _ | Unl _ => true
  | _ => false
  end.

(** can the slow write succeed from here: what W6 needs *)
Definition rd_checked (m : mem) (c : vc) : Prop := ele (mW m) c = true.
Definition wr_checked (m : mem) (c : vc) : Prop :=
  ele (mW m) c = true /\ match mR m with REpoch r => ele r c = true | RShared => lle (mV m) c = true end.

Definition pinv (m : mem) (t : tid) (p : pc) (a : ast) : Prop :=
  (crit p = true -> lk m = Some t) /\
  match p with
  | Idle => a = AIdle
  | R1 c | R3 c | R4 c => a = APend (CRd c)
  | R2 c => a = APend (CRd c) /\ mR m = RShared
  | R2b c p => a = APend (CRd c) /\ mR m = RShared /\ p < length (heap m) /\ lget (nth p (heap m) []) t = lget (mV m) t
  | R5 c => a = APend (CRd c) /\ rd_checked m c
  | R6 c => a = APend (CRd c) /\ rd_checked m c /\ exists r, mR m = REpoch r /\ ele r c = true
  | R7 c r => a = APend (CRd c) /\ rd_checked m c /\ mR m = REpoch r /\ ele r c = false
  | R7d c r => a = APend (CRd c) /\ rd_checked m c /\ mR m = REpoch r /\ ele r c = false /\
               mV m = lset (lset [] (fst r) (snd r)) t (c t)
  | R8 c => a = APend (CRd c) /\ rd_checked m c /\ mR m = RShared
  | R8b c p => a = APend (CRd c) /\ rd_checked m c /\ mR m = RShared /\ p < length (heap m) /\
               nth p (heap m) [] = lset (mV m) t (c t)
  | W1 c | W3 c | W4 c => a = APend (CWr c)
  | W5 c => a = APend (CWr c) /\ ele (mW m) c = true
  | W6 c => a = APend (CWr c) /\ wr_checked m c
  | W7 c k => a = APend (CWr c) /\ ele (mW m) c = true /\ mR m = RShared /\ forall j, j < k -> lget (mV m) j <= c j
  | Unl b | Ret b => a = ADone b
  end.

Definition absm (m : mem) (s : vftS) : Prop :=
  vR s = mR m /\ vW s = mW m /\ (mR m = RShared -> vV s = mV m).

Record sim (k : conc) (a : abs) : Prop := {
  sm_abs : absm (cM k) (aS a);
  sm_cur : cur (cM k) < length (heap (cM k));
  sm_thr : forall t, pinv (cM k) t (cP k t) (aT a t) }.

Definition weak (a : abs) (l : lab) (a' : abs) : Prop :=
  match l with Tau => a' = a \/ astep a Tau a' | _ => astep a l a' end.

Lemma nset_len {A} (l : list A) : forall i a, length (nset l i a) = length l.
Proof. induction l; intros [|i] b; simpl; auto. Qed.
Lemma nth_nset {A} (l : list A) : forall i a d j, i < length l -> nth j (nset l i a) d = if j =? i then a else nth j l d.
Proof.
  induction l as [|x l IH]; intros [|i] a d [|j] H; simpl in *; try lia; auto. apply IH. lia.
Qed.

(** a step of t that respects the discipline leaves u's facts alone *)
Definition frame (t : tid) (m m' : mem) : Prop :=
  (lk m' = lk m \/ (lk m = None /\ lk m' = Some t) \/ (lk m = Some t /\ lk m' = None)) /\
  length (heap m) <= length (heap m') /\
  (mR m = RShared -> mR m' = RShared) /\
  (lk m <> Some t -> mR m' = mR m /\ mW m' = mW m /\ cur m' = cur m /\ forall i, nth i (heap m') [] = nth i (heap m) []) /\
  (mR m = RShared -> forall u p, u <> t -> p < length (heap m) ->
     lget (nth p (heap m) []) u = lget (mV m) u -> lget (nth p (heap m') []) u = lget (mV m') u).

Lemma pinv_frame t u m m' p a : u <> t -> frame t m m' -> pinv m u p a -> pinv m' u p a.
Proof.
  intros Hut (Hlk & Hlen & Hsh & Hno & Hel) [Hc H].
  assert (Hlk' : lk m = Some u -> lk m' = Some u /\ lk m <> Some t).
  { intros E. split; [|congruence]. destruct Hlk as [E'|[[E' _]|[E' _]]]; congruence. }
  split; [intros Hp; now apply Hlk', Hc|].
  destruct (crit p) eqn:Ep.
  - destruct (Hlk' (Hc eq_refl)) as [_ Hnt]. destruct (Hno Hnt) as (ER & EW & EC & EH).
    assert (EV : mV m' = mV m) by (unfold mV; rewrite EC; apply EH).
    destruct p; simpl in Ep; try discriminate; unfold rd_checked, wr_checked in *;
    rewrite ?ER, ?EW, ?EV, ?EH; auto.
    intuition lia.
  - destruct p; simpl in Ep; try discriminate; auto.
    + intuition.
    + destruct H as (-> & HR & Hp & He). repeat split; auto. lia.
Qed.

Lemma frame_refl t m : frame t m m.
Proof. unfold frame. repeat split; auto. Qed.
Lemma frame_acq t m : lk m = None -> frame t m (mkM (heap m) (cur m) (mR m) (mW m) (Some t)).
Proof. unfold frame, mV; simpl. intros H. repeat split; auto. Qed.
Lemma frame_rel t m : lk m = Some t -> frame t m (mkM (heap m) (cur m) (mR m) (mW m) None).
Proof. unfold frame, mV; simpl. intros H. repeat split; auto. Qed.

Lemma upd_same {A} (f : nat -> A) k v : upd f k v k = v.
Proof. unfold upd. now rewrite Nat.eqb_refl. Qed.
Lemma upd_other {A} (f : nat -> A) k v k' : k' <> k -> upd f k v k' = f k'.
Proof. unfold upd. destruct (Nat.eqb_spec k' k); congruence. Qed.

Lemma lget_beyond v j : length v <= j -> lget v j = 0.
Proof. unfold lget. intros. now apply nth_overflow. Qed.

Definition goal_ t m' p' s T l m : Prop :=
  exists a', weak (mkA s T) l a' /\ (forall u, u <> t -> aT a' u = T u) /\
    absm m' (aS a') /\ cur m' < length (heap m') /\ pinv m' t p' (aT a' t) /\ frame t m m'.

Lemma do_stay t m m' p' s T :
  absm m' s -> cur m' < length (heap m') -> pinv m' t p' (T t) -> frame t m m' -> goal_ t m' p' s T Tau m.
Proof. intros. exists (mkA s T). simpl. split; auto. Qed.

Lemma do_lin t m m' p' s T k b s' :
  T t = APend k -> spec t k s b s' -> absm m' s' -> cur m' < length (heap m') ->
  pinv m' t p' (ADone b) -> frame t m m' -> goal_ t m' p' s T Tau m.
Proof.
  intros HT Hs Ha Hc Hp Hf. exists (mkA s' (upd T t (ADone b))). simpl. rewrite upd_same.
  split; [right; econstructor; eauto|]. split; [intros; now apply upd_other|]. auto.
Qed.

Lemma step_sim t m p l m' p' s T :
  tstep t m p l m' p' -> absm m s -> cur m < length (heap m) -> pinv m t p (T t) -> goal_ t m' p' s T l m.
Proof.
  intros St Ha Hcur [Hcr Hp]. pose proof Ha as (HR & HW & HV).
  destruct St; simpl in Hcr, Hp; try specialize (Hcr eq_refl).
  - (* inv read *) exists (mkA s (upd T t (APend (CRd c)))). simpl. rewrite upd_same.
    split; [now constructor|]. split; [intros; now apply upd_other|].
    repeat split; auto; try discriminate; apply frame_refl.
  - exists (mkA s (upd T t (APend (CWr c)))). simpl. rewrite upd_same.
    split; [now constructor|]. split; [intros; now apply upd_other|].
    repeat split; auto; try discriminate; apply frame_refl.
  - eapply do_lin; eauto; [apply sp_rd_same; unfold rd_same; rewrite HR, H; auto| |apply frame_refl]. split; [discriminate|reflexivity].
  - apply do_stay; auto; [|apply frame_refl]. split; [discriminate|simpl; auto].
  - apply do_stay; auto; [|apply frame_refl]. split; [discriminate|simpl; auto].
  - apply do_stay; auto; [|apply frame_refl]. split; [discriminate|]. simpl. intuition.
  - destruct Hp as (HT & HS & Hpl & He). eapply do_lin; eauto; [apply sp_rd_same; unfold rd_same; rewrite HR, HS, (HV HS); congruence| |apply frame_refl].
    split; [discriminate|reflexivity].
  - destruct Hp as (HT & HS & Hpl & He). apply do_stay; auto; [|apply frame_refl]. split; [discriminate|simpl; auto].
  - apply do_stay; auto; [|now apply frame_acq]. split; auto.
  - eapply do_lin; eauto; [apply sp_rd_race; unfold rd_slow; now rewrite HW, H| |apply frame_refl]. split; auto; reflexivity.
  - apply do_stay; auto; [|apply frame_refl]. split; auto; simpl; auto.
  - destruct Hp as [HT HC]. apply do_stay; auto; [|apply frame_refl]. split; auto; simpl; eauto.
  - destruct Hp as [HT HC]. apply do_stay; auto; [|apply frame_refl]. split; auto; simpl; eauto.
  - destruct Hp as [HT HC]. apply do_stay; auto; [|apply frame_refl]. split; auto; simpl; eauto.
  - (* R6 *) destruct Hp as (HT & HC & r & Er & El). unfold rd_checked in HC.
    eapply do_lin with (s' := mkV (vV s) (REpoch (t, c t)) (vW s)); eauto.
    + apply sp_rd_ok. unfold rd_slow. rewrite HW, HC, HR, Er, El. reflexivity.
    + repeat split; auto. discriminate.
    + split; auto; reflexivity.
    + unfold frame; simpl. repeat split; auto; try congruence; try (intros E; congruence).
  - (* R7 *) destruct Hp as (HT & HC & Er & El). apply do_stay.
    + repeat split; auto. simpl. congruence.
    + simpl. rewrite app_length. simpl. lia.
    + split; auto. simpl. repeat split; auto. unfold mV. simpl. rewrite app_nth2 by lia. now rewrite Nat.sub_diag.
    + unfold frame; simpl. rewrite app_length. repeat split; auto; try lia; try congruence; try (intros E; congruence).
  - (* R7d *) destruct Hp as (HT & HC & Er & El & EV). unfold rd_checked in HC.
    eapply do_lin with (s' := mkV (lset (lset [] (fst r) (snd r)) t (c t)) RShared (vW s)); eauto.
    + apply sp_rd_ok. unfold rd_slow. rewrite HW, HC, HR, Er, El. reflexivity.
    + repeat split; auto.
    + split; auto; reflexivity.
    + unfold frame; simpl. repeat split; auto; try congruence; try (intros E; congruence).
  - (* R8 in place *) destruct Hp as (HT & HC & Er). unfold rd_checked in HC.
    assert (NV : nth (cur m) (nset (heap m) (cur m) (lset (mV m) t (c t))) [] = lset (mV m) t (c t)).
    { rewrite nth_nset by auto. now rewrite Nat.eqb_refl. }
    eapply do_lin with (s' := mkV (lset (vV s) t (c t)) RShared (vW s)); eauto.
    + apply sp_rd_ok. unfold rd_slow. rewrite HW, HC, HR, Er. reflexivity.
    + repeat split; auto. simpl. intros _. unfold mV at 1. simpl. rewrite NV, HV; auto.
    + simpl. now rewrite nset_len.
    + split; auto; reflexivity.
    + unfold frame; simpl. rewrite nset_len. repeat split; auto; try congruence.
      intros _ u q Hu Hq E. unfold mV at 2. simpl. rewrite NV. rewrite nth_nset by auto.
      destruct (Nat.eqb_spec q (cur m)); [reflexivity|]. rewrite lget_lset.
      destruct (Nat.eqb_spec u t); [congruence|auto].
  - (* R8 grow *) destruct Hp as (HT & HC & Er).
    assert (EV : forall q, q < length (heap m) -> nth q (heap m ++ [lset (mV m) t (c t)]) [] = nth q (heap m) []).
    { intros. now apply app_nth1. }
    apply do_stay.
    + repeat split; auto. simpl. intros. unfold mV. simpl. rewrite EV; auto.
    + simpl. rewrite app_length. lia.
    + split; auto. simpl. rewrite app_length. repeat split; auto; [simpl; lia|].
      rewrite app_nth2 by lia. rewrite Nat.sub_diag. simpl. f_equal. unfold mV. simpl. symmetry. apply EV. auto.
    + unfold frame; simpl. rewrite app_length. repeat split; auto; try lia; try congruence.
      intros _ u q Hu Hq E. unfold mV. simpl. rewrite !EV by auto. exact E.
  - (* R8b publish *) destruct Hp as (HT & HC & Er & Hpl & EV). unfold rd_checked in HC.
    eapply do_lin with (s' := mkV (lset (vV s) t (c t)) RShared (vW s)); eauto.
    + apply sp_rd_ok. unfold rd_slow. rewrite HW, HC, HR, Er. reflexivity.
    + repeat split; auto. simpl. intros _. unfold mV at 1. simpl. rewrite EV, HV; auto.
    + split; auto; reflexivity.
    + unfold frame; simpl. repeat split; auto; try congruence.
      intros _ u q Hu Hq E. unfold mV at 1. simpl. rewrite EV, lget_lset, E.
      destruct (Nat.eqb_spec u t); [congruence|auto].
  - eapply do_lin; eauto; [apply sp_wr_same; congruence| |apply frame_refl]. split; [discriminate|reflexivity].
  - apply do_stay; auto; [|apply frame_refl]. split; [discriminate|simpl; auto].
  - apply do_stay; auto; [|now apply frame_acq]. split; auto.
  - eapply do_lin; eauto; [apply sp_wr_race; unfold wr_slow; now rewrite HW, H| |apply frame_refl]. split; auto; reflexivity.
  - apply do_stay; auto; [|apply frame_refl]. split; auto; simpl; auto.
  - destruct Hp as [HT HC]. eapply do_lin; eauto; [apply sp_wr_race; unfold wr_slow; now rewrite HW, HC, HR, H, H0| |apply frame_refl]. split; auto; reflexivity.
  - destruct Hp as [HT HC]. apply do_stay; auto; [|apply frame_refl]. split; auto. simpl. unfold wr_checked. rewrite H. auto.
  - destruct Hp as [HT HC]. apply do_stay; auto; [|apply frame_refl]. split; auto. simpl. repeat split; auto. intros; lia.
  - destruct Hp as (HT & HC & Er & Hj). eapply do_lin; eauto; [apply sp_wr_race| |apply frame_refl]; [|split; auto; reflexivity].
    unfold wr_slow. rewrite HW, HC, HR, Er. rewrite (HV Er).
    destruct (lle (mV m) c) eqn:E; auto. rewrite lle_true in E. specialize (E k). lia.
  - destruct Hp as (HT & HC & Er & Hj). apply do_stay; auto; [|apply frame_refl]. split; auto. simpl. repeat split; auto.
    intros j Hlt. destruct (Nat.eq_dec j k); [subst; auto|apply Hj; lia].
  - destruct Hp as (HT & HC & Er & Hj). apply do_stay; auto; [|apply frame_refl]. split; auto. simpl. split; auto.
    unfold wr_checked. rewrite Er. split; auto. apply lle_true. intros u.
    destruct (Nat.lt_ge_cases u k); [auto|]. rewrite lget_beyond; lia.
  - (* W6 *) destruct Hp as (HT & HC & HD).
    eapply do_lin with (s' := mkV (vV s) (vR s) (t, c t)); eauto.
    + apply sp_wr_ok. unfold wr_slow. rewrite HW, HC, HR. destruct (mR m) as [r|] eqn:Er.
      * now rewrite HD.
      * rewrite HV by auto. now rewrite HD.
    + repeat split; auto.
    + split; auto; reflexivity.
    + unfold frame; simpl. repeat split; auto; try congruence; try (intros E; congruence).
  - apply do_stay; auto; [|now apply frame_rel]. split; [discriminate|]. exact Hp.
  - exists (mkA s (upd T t AIdle)). simpl. rewrite upd_same.
    split; [now constructor|]. split; [intros; now apply upd_other|].
    repeat split; auto; try discriminate; apply frame_refl.
Qed.

Theorem v2_refines_spec k l k' a : sim k a -> cstep k l k' -> exists a', weak a l a' /\ sim k' a'.
Proof.
  intros [Ha Hc Ht] St. destruct St as [m P t l m' p' St]. destruct a as [s T]. simpl in *.
  destruct (step_sim t m (P t) l m' p' s T St Ha Hc (Ht t)) as (a' & Hw & Ho & Ha' & Hc' & Hp' & Hf).
  exists a'. split; auto. constructor; simpl; auto.
  intros u. destruct (Nat.eq_dec u t) as [->|Hne].
  - now rewrite upd_same.
  - rewrite upd_other, Ho by auto. eapply pinv_frame; eauto.
Qed.

Definition c_init := mkC (mkM [[]] 0 (REpoch ebot) ebot None) (fun _ => Idle).
Definition a_init := mkA (mkV [] (REpoch ebot) ebot) (fun _ => AIdle).
Lemma sim_init : sim c_init a_init.
Proof. constructor; simpl; [repeat split; auto|lia|]. intros t. split; [discriminate|reflexivity]. Qed.

(** The atomic specification is Figure 2: each outcome is one of its rules, for a variable that remembers nothing of t's future. *)
Definition clock_of_call (k : call) : vc := match k with CRd c | CWr c => c end.
Lemma spec_is_rule t k s b s' : (forall r, vR s = REpoch r -> fst r = t -> snd r <= clock_of_call k t) -> spec t k s b s' ->
  match k with CRd c => rd_rule c t s (if b then Some s' else None) | CWr c => wr_rule c t s (if b then Some s' else None) end.
Proof.
  intros Own Sp. inversion Sp as [c s0 H|c s0 s1 H|c s0 H|c s0 H|c s0 s1 H|c s0 H]; subst; simpl in *.
  - unfold rd_same in H. destruct (vR s') as [r|] eqn:E; [apply VFT_ReadSameEpoch; congruence|now apply VFT_ReadSharedSameEpoch].
  - unfold rd_slow in H. destruct (ele (vW s) c) eqn:EW; [|discriminate]. destruct (vR s) as [[u k]|] eqn:E.
    + destruct (ele (u, k) c) eqn:El; injection H as <-; [eapply VFT_ReadExclusive; eauto|].
      apply VFT_ReadShare; auto. intros ->. specialize (Own _ eq_refl eq_refl). unfold ele in El. simpl in *. apply Nat.leb_gt in El. lia.
    + injection H as <-. now apply VFT_ReadShared.
  - unfold rd_slow in H. destruct (ele (vW s') c) eqn:EW; [|now apply VFT_WriteReadRace].
    destruct (vR s') as [r|]; [destruct (ele r c)|]; discriminate.
  - now apply VFT_WriteSameEpoch.
  - unfold wr_slow in H. destruct (ele (vW s) c) eqn:EW; [|discriminate]. destruct (vR s) as [r|] eqn:E.
    + destruct (ele r c) eqn:El; [|discriminate]. injection H as <-. rewrite <- E. eapply VFT_WriteExclusive; eauto.
    + destruct (lle (vV s) c) eqn:El; [|discriminate]. injection H as <-. rewrite <- E. now apply VFT_WriteShared.
  - unfold wr_slow in H. destruct (ele (vW s') c) eqn:EW; [|now apply VFT_WriteWriteRace]. destruct (vR s') as [r|] eqn:E.
    + destruct (ele r c) eqn:El; [discriminate|]. eapply VFT_ReadWriteRace; eauto.
    + destruct (lle (vV s') c) eqn:El; [discriminate|]. now apply VFT_SharedWriteRace.
Qed.

(** ** A run that takes every step *)
Inductive creach : conc -> list lab -> Prop :=
| cr_init : creach c_init []
| cr_step k ls l k' : creach k ls -> cstep k l k' -> creach k' (ls ++ [l]).

Definition clock (l : list nat) : vc := fun t => nth t l 0.
Definition returns (l : lab) : bool := match l with Ret_ _ _ => true | _ => false end.

Local Arguments upd {A} f k v k' /.
Local Arguments clock l t /.
Local Ltac premise := first [reflexivity | discriminate | cbn; lia].
(** Thread t goes on by that step. *)
Local Tactic Notation "go" hyp(H) constr(t) uconstr(s) := eapply cr_step in H; [|eapply (c_step _ _ t); eapply s; premise]; cbn in H.
Local Tactic Notation "done" hyp(H) constr(t) := go H t s_Unl; go H t s_Ret.
Local Tactic Notation "write" hyp(H) constr(t) constr(c) := go H t (s_inv_w t _ (clock c)); go H t s_W1_no; go H t s_W3.
Local Tactic Notation "read" hyp(H) constr(t) constr(c) := go H t (s_inv_r t _ (clock c)).
Local Tactic Notation "read_shared" hyp(H) constr(t) constr(c) :=
  read H t c; go H t s_R1_sh; go H t s_R2; go H t s_R2b_no; go H t s_R3; go H t s_R4; go H t s_R5_sh.

Theorem v2_every_step : exists k ls, creach k ls /\
  filter returns ls =
    [Ret_ 0 true; Ret_ 0 true; Ret_ 1 false; Ret_ 1 false; Ret_ 0 true; Ret_ 0 true; Ret_ 1 false; Ret_ 1 true; Ret_ 1 true;
     Ret_ 0 true; Ret_ 2 true; Ret_ 1 false; Ret_ 1 true].
Proof.
  pose proof cr_init as H.
  write H 0 [1]. go H 0 s_W4. go H 0 s_W5_ex. go H 0 s_W6. done H 0.
  go H 0 (s_inv_w 0 _ (clock [1])). go H 0 s_W1_hit. go H 0 s_Ret.
  write H 1 [0; 1]. go H 1 s_W4_race. done H 1.
  read H 1 [0; 1]. go H 1 s_R1_no. go H 1 s_R3. go H 1 s_R4_race. done H 1.
  read H 0 [2]. go H 0 s_R1_no. go H 0 s_R3. go H 0 s_R4. go H 0 s_R5_ex. go H 0 s_R6. done H 0.
  read H 0 [2]. go H 0 s_R1_hit. go H 0 s_Ret.
  write H 1 [1; 1]. go H 1 s_W4. go H 1 s_W5_race. done H 1.
  read H 1 [1; 1]. go H 1 s_R1_no. go H 1 s_R3. go H 1 s_R4. go H 1 s_R5_share. go H 1 s_R7. go H 1 s_R7d. done H 1.
  read H 1 [1; 1]. go H 1 s_R1_sh. go H 1 s_R2. go H 1 s_R2b_hit. go H 1 s_Ret.
  read_shared H 0 [3]. go H 0 s_R8_in. done H 0.
  read_shared H 2 [1; 0; 1]. go H 2 s_R8_grow. go H 2 s_R8b. done H 2.
  write H 1 [1; 1; 1]. go H 1 s_W4. go H 1 s_W5_sh. go H 1 s_W7_race. done H 1.
  write H 1 [3; 1; 1]. go H 1 s_W4. go H 1 s_W5_sh. do 3 go H 1 s_W7_next. go H 1 s_W7_end. go H 1 s_W6. done H 1.
  eexists; eexists; split; [exact H|reflexivity].
Qed.
