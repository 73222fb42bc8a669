(** Detectors with happens-before sets, over locks, threads and channels: local obligations imply that a variable is flagged iff it has a race. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Clocks ChannelTrace ChannelSync ChannelExact.

(** (m, !z) or (m, ?z): the label m of an access is its position; with it the variable, and whether it writes. *)
Record label := mkL { lpos : nat; lvar : var; lwr : bool }.
Definition leq (a b : label) : bool := (lpos a =? lpos b) && (lvar a =? lvar b) && Bool.eqb (lwr a) (lwr b).
Definition mem (e : label) (k : list label) : bool := existsb (leq e) k.
Definition kset := list label.
Definition kjoin (a b : kset) : kset := filter (fun e => negb (mem e a)) b ++ a.

Lemma leq_true a b : leq a b = true <-> a = b.
Proof.
  unfold leq. rewrite !andb_true_iff, !Nat.eqb_eq, eqb_true_iff. destruct a, b; simpl. split; [intros [[-> ->] ->]; auto|intros [=]; auto].
Qed.
Lemma mem_true e k : mem e k = true <-> In e k.
Proof.
  unfold mem. rewrite existsb_exists. split; [intros (y & Hy & E); apply leq_true in E; now subst|].
  intros H. exists e. split; auto. now apply leq_true.
Qed.
Lemma mem_false e k : mem e k = false <-> ~ In e k.
Proof. rewrite <- mem_true. destruct (mem e k); split; congruence. Qed.
Lemma in_kjoin e a b : In e (kjoin a b) <-> In e a \/ In e b.
Proof.
  unfold kjoin. rewrite in_app_iff, filter_In, negb_true_iff, mem_false.
  destruct (mem e a) eqn:E; [apply mem_true in E|apply mem_false in E]; tauto.
Qed.

(** A detector: what a variable remembers, how reads and writes check and change that ([None]: a race), and what the thread keeps after the
    access. [tracks]: are reads remembered? If not, only races after writes are found. *)
Record hbdet := {
  tracks : bool;
  HS : Type;
  h0 : HS;
  hrd : kset -> label -> HS -> option HS;
  hwr : kset -> label -> HS -> option HS;
  hset : kset -> label -> kset;
  remR : HS -> label -> Prop;
  remW : HS -> label -> Prop;
  ho_0 : forall e, ~ remR h0 e /\ ~ remW h0 e;
  ho_rd_none : forall k l s, hrd k l s = None -> exists w, remW s w /\ ~ In w k;
  ho_rd_some : forall k l s s', hrd k l s = Some s' ->
    (forall w, remW s w -> In w k) /\ (forall w, remW s' w <-> remW s w) /\
    (tracks = true -> remR s' l) /\
    (forall r, remR s' r -> remR s r \/ r = l /\ tracks = true) /\
    (forall r, remR s r -> remR s' r \/ In r k);
  ho_wr_none : forall k l s, hwr k l s = None -> exists w, (remW s w \/ (tracks = true /\ remR s w)) /\ ~ In w k;
  ho_wr_some : forall k l s s', hwr k l s = Some s' ->
    (forall w, remW s w \/ remR s w -> In w k) /\ remW s' l /\
    (forall w, remW s' w -> remW s w \/ w = l) /\ (forall r, remR s' r -> remR s r);
  (* what the thread keeps: nothing new but l, which it has if the access is remembered; all of other variables ... *)
  ho_set_sub : forall k l e, In e (hset k l) -> In e k \/ e = l;
  ho_set_new : forall k l, (lwr l = true \/ tracks = true) -> In l (hset k l);
  ho_set_other : forall k l e, lvar e <> lvar l -> In e k -> In e (hset k l);
  (* ... and what the variable still remembers, provided that no write the thread knows is later than all that are remembered *)
  ho_set_rd : forall k l s s', hrd k l s = Some s' -> lwr l = false -> ~ In l k ->
    (forall w, remW s w -> lwr w = true /\ lvar w = lvar l) -> (forall r, remR s r -> lwr r = false /\ lvar r = lvar l) ->
    (forall e, In e k -> lvar e = lvar l -> lwr e = true -> exists w, remW s w /\ lpos e <= lpos w) ->
    forall e, remR s' e \/ remW s' e -> In e k -> In e (hset k l);
  ho_set_wr : forall k l s s', hwr k l s = Some s' -> lwr l = true -> ~ In l k ->
    forall e, remR s' e \/ remW s' e -> In e k -> In e (hset k l) }.

Section Generic.
Variable D : hbdet.
Variable cap : chan -> nat.
Notation psets := (psets cap). Notation chb := (chb cap). Notation starts := (starts cap).

Record hstate := mkH { hsync : cstate kset; hvar : var -> option (HS D) }.
Definition hinit : hstate := mkH (cs0 [] cap) (fun _ => Some (h0 D)).

Definition access_by (t : tid) (l : label) (s : hstate) : hstate :=
  let k := sT (hsync s) t in
  let check := if lwr l then hwr D k l else hrd D k l in
  mkH (mkCS (upd (sT (hsync s)) t (hset D k l)) (sL (hsync s)) (sF (hsync s)) (sB (hsync s)) (sU (hsync s)) (sX (hsync s)))
      (upd (hvar s) (lvar l) (match hvar s (lvar l) with Some v => check v | None => None end)).
(** One event, at position n. *)
Definition hstep (n : nat) (s : hstate) (a : cop) : hstate :=
  match a with
  | CRd t x => access_by t (mkL n x false) s
  | CWr t x => access_by t (mkL n x true) s
  | _ => mkH (csync [] kjoin (hsync s) a) (hvar s)
  end.

(** Garbage collection, R-GC: any holder may drop any labels that no variable remembers. *)
Definition live (s : hstate) (e : label) : Prop := exists x v, hvar s x = Some v /\ (remR D v e \/ remW D v e).
Definition thinner (s : hstate) (k' k : kset) : Prop := (forall e, In e k' -> In e k) /\ (forall e, live s e -> In e k -> In e k').

(** Runs: the events of the trace, with collections wherever one likes. *)
Inductive hruns : ctrace -> hstate -> Prop :=
| hr_nil : hruns [] hinit
| hr_event tr s a : hruns tr s -> hruns (tr ++ [a]) (hstep (length tr) s a)
| hr_gc tr s sy : hruns tr s -> related (thinner s) sy (hsync s) -> hruns tr (mkH sy (hvar s)).

(** ** Invariants *)
Definition real (tr : ctrace) (e : label) : Prop :=
  exists t, nth_error tr (lpos e) = Some (if lwr e then CWr t (lvar e) else CRd t (lvar e)).
Definition allreal (tr : ctrace) (k : kset) (p : pset) : Prop := forall e, In e k -> real tr e.
(** Of label e this set of labels says what this set of positions says. *)
Definition says (e : label) (k : kset) (p : pset) : Prop := In e k <-> p (lpos e).

Definition accesses_c (x : var) (a : cop) : Prop := match a with CRd _ y | CWr _ y => y = x | _ => False end.

Record HInv (tr : ctrace) (x : var) (s : HS D) : Prop := {
  hi_rf : forall i j a b, i < j -> nth_error tr i = Some a -> nth_error tr j = Some b -> cconflict (tracks D) x a b -> chb tr i j;
  hi_Wb : forall w, remW D s w -> lwr w = true /\ lvar w = x /\ real tr w;
  hi_Wa : forall i u, nth_error tr i = Some (CWr u x) -> exists w, remW D s w /\ starts tr (lpos w) i;
  hi_Rb : forall r, remR D s r -> lwr r = false /\ lvar r = x /\ real tr r;
  hi_Ra : tracks D = true -> forall i u, nth_error tr i = Some (CRd u x) -> exists e, (remR D s e \/ remW D s e) /\ starts tr (lpos e) i }.

Lemma real_lt tr e : real tr e -> lpos e < length tr.
Proof. intros [t H]. eapply nth_error_lt; eauto. Qed.
Lemma real_snoc tr a e : real tr e -> real (tr ++ [a]) e.
Proof. intros [t H]. exists t. rewrite nth_error_snoc_lt; eauto using nth_error_lt. Qed.

Lemma chb_snoc tr a i j : j < length tr -> (chb (tr ++ [a]) i j <-> chb tr i j).
Proof. intros. unfold ChannelTrace.chb. rewrite reach_snoc_old by auto. tauto. Qed.

Lemma HInv_other tr x s a : HInv tr x s -> ~ accesses_c x a -> HInv (tr ++ [a]) x s.
Proof.
  intros [rf Wb Wa Rb Ra] Hx.
  assert (Q : forall i b, nth_error (tr ++ [a]) i = Some b -> accesses_c x b -> i < length tr /\ nth_error tr i = Some b).
  { intros i b H Ab. apply nth_error_snoc_inv in H as [H|[-> ->]]; [auto|contradiction]. }
  constructor.
  - intros i j b c Hij Hb Hc Cf.
    assert (accesses_c x b /\ accesses_c x c) as [Ab Ac] by (destruct b, c; simpl in *; tauto).
    apply Q in Hb as [Hl Hb]; auto. apply Q in Hc as [Hl' Hc]; auto. apply chb_snoc; eauto.
  - intros w Hw. destruct (Wb w Hw) as (? & ? & ?). auto using real_snoc.
  - intros i u H. apply Q in H as [Hl H]; [|simpl; auto]. destruct (Wa _ _ H) as (w & Hw & Hs). exists w. split; auto.
    apply starts_old; auto. destruct (Wb w Hw) as (_ & _ & Hr). now apply real_lt.
  - intros w Hw. destruct (Rb w Hw) as (? & ? & ?). auto using real_snoc.
  - intros Ht i u H. apply Q in H as [Hl H]; [|simpl; auto]. destruct (Ra Ht _ _ H) as (w & Hw & Hs). exists w. split; auto.
    apply starts_old; auto. destruct Hw as [Hw|Hw]; [destruct (Rb w Hw) as (_ & _ & Hr)|destruct (Wb w Hw) as (_ & _ & Hr)]; now apply real_lt.
Qed.

Lemma crace_snoc tr a x : crace_on cap (tracks D) tr x -> crace_on cap (tracks D) (tr ++ [a]) x.
Proof.
  intros (j & i & b & c & Hij & Hb & Hc & Cf & Hh). pose proof (nth_error_lt _ _ _ Hc).
  exists j, i, b, c. rewrite !nth_error_snoc_lt by lia. repeat split; auto. now rewrite chb_snoc.
Qed.

(** The invariant of a run. *)
Record RInv (tr : ctrace) (s : hstate) : Prop := {
  ri_real : related (allreal tr) (hsync s) (psets tr);
  ri_says : forall x v e, hvar s x = Some v -> remR D v e \/ remW D v e -> related (says e) (hsync s) (psets tr);
  ri_var : forall x, match hvar s x with Some v => HInv tr x v | None => crace_on cap (tracks D) tr x end }.

Lemma Forall2_map_l {A B} (P Q : A -> B -> Prop) l1 l2 : (forall a b, P a b -> Q a b) -> Forall2 P l1 l2 -> Forall2 Q l1 l2.
Proof. intros H. induction 1; auto. Qed.
Lemma related_weaken {A B} (P Q : A -> B -> Prop) s1 s2 : (forall a b, P a b -> Q a b) -> related P s1 s2 -> related Q s1 s2.
Proof. intros H [T L F B' U X]. constructor; auto; intros; eapply Forall2_map_l; eauto. Qed.
Lemma Forall2_comp {A B C} (P : A -> B -> Prop) (Q : B -> C -> Prop) (R : A -> C -> Prop) l1 l2 l3 :
  (forall a b c, P a b -> Q b c -> R a c) -> Forall2 P l1 l2 -> Forall2 Q l2 l3 -> Forall2 R l1 l3.
Proof. intros H H1. revert l3. induction H1; intros l3 H2; inversion H2; subst; constructor; eauto. Qed.
Lemma related_comp {A B C} (P : A -> B -> Prop) (Q : B -> C -> Prop) (R : A -> C -> Prop) s1 s2 s3 :
  (forall a b c, P a b -> Q b c -> R a c) -> related P s1 s2 -> related Q s2 s3 -> related R s1 s3.
Proof.
  intros H [T L F B' U X] [T' L' F' B'' U' X']. constructor; intros; eauto using Forall2_comp. now rewrite U.
Qed.

(** Marking position n changes nothing for labels of other positions. *)
Lemma says_mark e n a sy p : lpos e <> n -> related (says e) sy p -> related (says e) sy (mark n a p).
Proof.
  intros Hn [T L F B U X]. constructor; auto. intros t. simpl. destruct (actsb a t); auto.
  unfold says, pjoin in *. rewrite (T t). intuition.
Qed.

(** Nobody knows a position that has not come yet. *)
Lemma pset_bound tr : cfeasible cap tr -> forall i, length tr <= i ->
  (forall t, ~ sT (psets tr) t i) /\ (forall m, ~ sL (psets tr) m i) /\ (forall c, ~ sX (psets tr) c i) /\
  (forall c k q, nth_error (sF (psets tr) c) k = Some q -> ~ q i) /\ (forall c k q, nth_error (sB (psets tr) c) k = Some q -> ~ q i).
Proof.
  intros F i Hi. destruct (psets_exact cap tr F) as [ET EL EX _ _ EF _ EB].
  assert (S : forall j b, nth_error tr j = Some b -> ~ starts tr j i).
  { intros j b Hb H. apply nth_error_lt in Hb. apply reach_idx in H. simpl in H. lia. }
  split; [|split; [|split; [|split]]].
  - intros t H. apply ET in H as (j & b & Hb & [[_ H]|[_ H]]); [|eapply S; eauto].
    apply nth_error_lt in Hb. apply reach_idx in H. simpl in H. lia.
  - intros m H. apply EL in H as (j & b & Hb & H). eapply S; eauto.
  - intros m H. apply EX in H as (j & b & Hb & H). eapply S; eauto.
  - intros c k q Hq H. apply (EF c k q Hq) in H as (j & b & Hb & _ & H). eapply S; eauto.
  - intros c k q Hq H. apply (EB c k q Hq) in H as (j & b & Hb & _ & H). eapply S; eauto.
Qed.

(** ** One event *)
Lemma mark_T_other n a p v : ~ acts a v -> sT (mark n a p) v = sT p v.
Proof. intros H. simpl. destruct (actsb a v) eqn:E; auto. now apply actsb_true in E. Qed.

(** A fresh label: nobody has it, nobody knows its position. *)
Lemma says_fresh tr s l : cfeasible cap tr -> lpos l = length tr -> related (allreal tr) (hsync s) (psets tr) ->
  related (says l) (hsync s) (psets tr).
Proof.
  intros F Hl R. destruct (pset_bound tr F (lpos l)) as (BT & BL & BX & BF & BB); [lia|].
  assert (N : forall k, allreal tr k pbot -> ~ In l k) by (intros k H K; apply H, real_lt in K; lia).
  assert (Q : forall k p q, allreal tr k p -> ~ q (lpos l) -> says l k q) by (intros k p q H Hq; unfold says; split; [intros K; elim (N k H K)|tauto]).
  assert (G : forall l1 l2, Forall2 (allreal tr) l1 l2 -> (forall k q, nth_error l2 k = Some q -> ~ q (lpos l)) -> Forall2 (says l) l1 l2).
  { induction 1; intros Hq; constructor; [eapply Q; eauto; apply (Hq 0 y eq_refl)|]. apply IHForall2. intros k q Hk. apply (Hq (S k) q Hk). }
  destruct R as [T L Fq B' U X]. constructor; eauto.
Qed.

Section Access.
Variables (tr : ctrace) (s : hstate) (t : tid) (x : var) (w : bool).
Let a : cop := if w then CWr t x else CRd t x.
Let l : label := mkL (length tr) x w.
Hypothesis F : cfeasible cap tr.
Hypothesis I : RInv tr s.
Let k := sT (hsync s) t.

Lemma acts_a v : acts a v <-> v = t.
Proof. unfold a. destruct w; simpl; tauto. Qed.
Lemma access_a : caccess a.
Proof. unfold a. destruct w; exact Logic.I. Qed.
Lemma psets_a : psets (tr ++ [a]) = mark (length tr) a (psets tr).
Proof. rewrite psets_snoc. unfold a. destruct w; reflexivity. Qed.
Lemma fresh_l : ~ In l k.
Proof. intros H. apply (rl_T _ _ _ (ri_real _ _ I)) in H. apply real_lt in H. simpl in H. lia. Qed.
Lemma known_pos v e : hvar s x = Some v -> remR D v e \/ remW D v e -> (In e k <-> chb (tr ++ [a]) (lpos e) (length tr)).
Proof.
  intros Hv He. rewrite (access_happens_after cap tr a t (lpos e) F access_a); [|now apply acts_a].
  apply (rl_T _ _ _ (ri_says _ _ I x v e Hv He)).
Qed.
(** What happens before the new access reaches its start. *)
Lemma chb_start i : chb (tr ++ [a]) i (length tr) -> starts (tr ++ [a]) (length tr) i.
Proof.
  intros [_ H]. apply new_completion in H as [H|H]; auto. pose proof access_a. destruct a; contradiction.
Qed.
Lemma chb_below i j : j < length tr -> starts tr j i -> chb (tr ++ [a]) j (length tr) ->
  chb (tr ++ [a]) i (length tr) /\ starts (tr ++ [a]) (length tr) i.
Proof.
  intros Hj Hs H. pose proof (reach_idx _ _ _ _ Hs) as Hi. simpl in Hi. pose proof (chb_start _ H) as H'.
  apply (starts_old cap tr a) in Hs; auto. assert (Hn : starts (tr ++ [a]) (length tr) i) by (eapply reach_trans; eauto).
  split; auto. split; [lia|]. apply new_completion. auto.
Qed.

Lemma access_real : related (allreal (tr ++ [a])) (hsync (access_by t l s)) (psets (tr ++ [a])).
Proof.
  rewrite psets_a. pose proof (ri_real _ _ I) as R.
  assert (R' : related (allreal (tr ++ [a])) (hsync s) (psets tr)).
  { eapply related_weaken; [|exact R]. intros k0 p H e He. apply real_snoc. auto. }
  destruct R' as [T L Fq B' U X]. constructor; auto. intros v. simpl. unfold upd.
  assert (Q : allreal (tr ++ [a]) (hset D (sT (hsync s) t) l) pbot).
  { intros e He. apply ho_set_sub in He as [He| ->]; [apply (T t); auto|]. exists t. simpl. rewrite nth_error_snoc_eq. unfold a. now destruct w. }
  destruct (v =? t); [exact Q|]. intros e He. apply (T v e He).
Qed.

(** A label of the past stays right if the thread keeps it. *)
Lemma access_says e : lpos e < length tr -> related (says e) (hsync s) (psets tr) -> (In e k -> In e (hset D k l)) ->
  related (says e) (hsync (access_by t l s)) (psets (tr ++ [a])).
Proof.
  intros He R Hk. rewrite psets_a. apply (says_mark e (length tr) a) in R; [|lia].
  destruct R as [T L Fq B' U X]. constructor; auto. intros v. simpl sT. specialize (T v). unfold upd. destruct (Nat.eqb_spec v t) as [->|]; auto.
  unfold says in *. rewrite <- T. split; [|apply Hk]. intros H. apply ho_set_sub in H as [H| ->]; auto. simpl in He. lia.
Qed.
Lemma access_says_new : In l (hset D k l) -> related (says l) (hsync (access_by t l s)) (psets (tr ++ [a])).
Proof.
  intros Hl. rewrite psets_a. pose proof (says_fresh tr s l F eq_refl (ri_real _ _ I)) as [T L Fq B' U X].
  constructor; auto. intros v. simpl sT. unfold upd. specialize (T v). destruct (Nat.eqb_spec v t) as [->|Hne].
  - assert (E : actsb a t = true) by (apply actsb_true; now apply acts_a). rewrite E. unfold says, pjoin. simpl. tauto.
  - assert (E : actsb a v = false) by (destruct (actsb a v) eqn:E; auto; apply actsb_true, acts_a in E; congruence). rewrite E. auto.
Qed.
End Access.

Lemma hb_of_old tr a x v s : HInv tr x v -> s = tr ++ [a] ->
  (forall i b, nth_error tr i = Some b -> cconflict (tracks D) x b a -> chb s i (length tr)) ->
  forall i j b c, i < j -> nth_error s i = Some b -> nth_error s j = Some c -> cconflict (tracks D) x b c -> chb s i j.
Proof.
  intros V -> H i j b c Hij Hb Hc Cf. apply nth_error_snoc_inv in Hc as [[Hl Hc]|[-> ->]];
  rewrite nth_error_snoc_lt in Hb by lia; [apply chb_snoc; auto; eapply hi_rf; eauto|eauto].
Qed.

Lemma read_ok tr s t x v v' : cfeasible cap tr -> RInv tr s -> hvar s x = Some v ->
  hrd D (sT (hsync s) t) (mkL (length tr) x false) v = Some v' -> HInv (tr ++ [CRd t x]) x v'.
Proof.
  intros F I Hv E. pose proof (ri_var _ _ I x) as V. rewrite Hv in V. pose proof (ho_rd_some D _ _ _ _ E) as (KW & EW & Rn & Rs & Rd).
  pose proof (known_pos tr s t x false F I v) as KP. pose proof (chb_below tr t x false) as CB. cbn in KP, CB.
  assert (Old : forall e, remR D v e \/ remW D v e -> real tr e).
  { intros e [H|H]; [now apply (hi_Rb _ _ _ V)|now apply (hi_Wb _ _ _ V)]. }
  assert (New : forall w, real tr w -> real (tr ++ [CRd t x]) w) by (intros; now apply real_snoc).
  constructor.
  - apply (hb_of_old tr (CRd t x) x v); auto. intros i b Hb Cf. destruct b; simpl in Cf; try tauto. destruct Cf as [-> _].
    destruct (hi_Wa _ _ _ V _ _ Hb) as (w & Hw & Hs). apply (CB i (lpos w)); auto; [apply real_lt, Old; auto|].
    apply KP; auto.
  - intros w Hw. apply EW in Hw. destruct (hi_Wb _ _ _ V w Hw) as (? & ? & ?). auto.
  - intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[_ K]]; [|discriminate].
    destruct (hi_Wa _ _ _ V _ _ H) as (w & Hw & Hs). exists w. split; [now apply EW|]. apply starts_old; auto. apply real_lt, Old; auto.
  - intros r Hr. apply Rs in Hr as [Hr|[-> _]]; [destruct (hi_Rb _ _ _ V r Hr) as (? & ? & ?); auto|].
    repeat split; auto. exists t. simpl. apply nth_error_snoc_eq.
  - intros Ht i u H. apply nth_error_snoc_inv in H as [[Hl H]|[-> _]].
    + destruct (hi_Ra _ _ _ V Ht _ _ H) as (e & He & Hs). pose proof (real_lt _ _ (Old e He)) as Hlt.
      assert (Keep : remR D v' e \/ remW D v' e \/ In e (sT (hsync s) t)).
      { destruct He as [He|He]; [destruct (Rd e He); auto|]. right. left. now apply EW. }
      destruct Keep as [K|[K|K]]; [exists e; split; auto; now apply starts_old..|].
      exists (mkL (length tr) x false). split; [left; auto|]. simpl. apply (CB i (lpos e)); auto. apply KP; auto.
    + exists (mkL (length tr) x false). split; [left; auto|]. simpl. constructor.
Qed.

Lemma write_ok tr s t x v v' : cfeasible cap tr -> RInv tr s -> hvar s x = Some v ->
  hwr D (sT (hsync s) t) (mkL (length tr) x true) v = Some v' -> HInv (tr ++ [CWr t x]) x v'.
Proof.
  intros F I Hv E. pose proof (ri_var _ _ I x) as V. rewrite Hv in V. pose proof (ho_wr_some D _ _ _ _ E) as (KA & Wn & Ws & Rs).
  pose proof (known_pos tr s t x true F I v) as KP. pose proof (chb_below tr t x true) as CB. cbn in KP, CB.
  assert (Old : forall e, remR D v e \/ remW D v e -> real tr e).
  { intros e [H|H]; [now apply (hi_Rb _ _ _ V)|now apply (hi_Wb _ _ _ V)]. }
  assert (Below : forall i e, remR D v e \/ remW D v e -> starts tr (lpos e) i ->
            chb (tr ++ [CWr t x]) i (length tr) /\ starts (tr ++ [CWr t x]) (length tr) i).
  { intros i e He Hs. apply (CB i (lpos e)); auto; [apply real_lt, Old; auto|]. apply KP; auto. apply KA. tauto. }
  constructor.
  - apply (hb_of_old tr (CWr t x) x v); auto. intros i b Hb Cf. destruct b as [u y|u y| | | | | | | | |]; simpl in Cf; try tauto.
    + destruct Cf as (Ht & -> & _). destruct (hi_Ra _ _ _ V Ht _ _ Hb) as (e & He & Hs). eapply Below; eauto.
    + destruct Cf as [-> _]. destruct (hi_Wa _ _ _ V _ _ Hb) as (e & He & Hs). eapply Below; eauto.
  - intros w Hw. apply Ws in Hw as [Hw| ->].
    + destruct (hi_Wb _ _ _ V w Hw) as (? & ? & ?). auto using real_snoc.
    + repeat split; auto. exists t. simpl. apply nth_error_snoc_eq.
  - intros i u H. exists (mkL (length tr) x true). split; auto. simpl.
    apply nth_error_snoc_inv in H as [[Hl H]|[-> _]]; [|constructor].
    destruct (hi_Wa _ _ _ V _ _ H) as (e & He & Hs). eapply Below; eauto.
  - intros r Hr. apply Rs in Hr. destruct (hi_Rb _ _ _ V r Hr) as (? & ? & ?). auto using real_snoc.
  - intros Ht i u H. exists (mkL (length tr) x true). split; auto. simpl.
    apply nth_error_snoc_inv in H as [[Hl H]|[_ K]]; [|discriminate K].
    destruct (hi_Ra _ _ _ V Ht _ _ H) as (e & He & Hs). eapply Below; eauto.
Qed.

Lemma race_new tr s t x w v e : cfeasible cap tr -> RInv tr s -> hvar s x = Some v ->
  remW D v e \/ (w = true /\ tracks D = true /\ remR D v e) -> ~ In e (sT (hsync s) t) ->
  crace_on cap (tracks D) (tr ++ [if w then CWr t x else CRd t x]) x.
Proof.
  intros F I Hv He Hn. pose proof (ri_var _ _ I x) as V. rewrite Hv in V.
  assert (He' : remR D v e \/ remW D v e) by tauto.
  pose proof (known_pos tr s t x w F I v e Hv He') as KP.
  assert (exists u, nth_error tr (lpos e) = Some (if lwr e then CWr u x else CRd u x) /\ (lwr e = true \/ w = true /\ tracks D = true /\ lwr e = false)) as (u & Hu & Hm).
  { destruct He as [He|(-> & Ht & He)].
    - destruct (hi_Wb _ _ _ V e He) as (Ew & Ex & u & Hu). rewrite Ex in Hu. eauto.
    - destruct (hi_Rb _ _ _ V e He) as (Ew & Ex & u & Hu). rewrite Ex in Hu. eauto 6. }
  pose proof (nth_error_lt _ _ _ Hu) as Hl.
  exists (length tr), (lpos e), (if lwr e then CWr u x else CRd u x), (if w then CWr t x else CRd t x).
  rewrite nth_error_snoc_lt, nth_error_snoc_eq by auto. repeat split; auto.
  - destruct Hm as [->|(-> & -> & ->)]; [destruct w|]; simpl; auto.
  - rewrite <- KP. exact Hn.
Qed.

Lemma RInv_access tr s t x (w : bool) : cfeasible cap tr -> RInv tr s ->
  RInv (tr ++ [if w then CWr t x else CRd t x]) (access_by t (mkL (length tr) x w) s).
Proof.
  intros F I. constructor.
  - now apply access_real.
  - intros y v e Hv He. unfold access_by in Hv. simpl in Hv. unfold upd in Hv. destruct (Nat.eqb_spec y x) as [->|Hne].
    + destruct (hvar s x) as [v0|] eqn:E0; [|discriminate]. pose proof (ri_var _ _ I x) as V. rewrite E0 in V.
      pose proof (fresh_l tr s t x w I) as Fr.
      assert (Typed : (forall e0, remW D v0 e0 -> lwr e0 = true /\ lvar e0 = x) /\ (forall e0, remR D v0 e0 -> lwr e0 = false /\ lvar e0 = x)).
      { split; intros e0 H0; [destruct (hi_Wb _ _ _ V e0 H0) as (? & ? & ?)|destruct (hi_Rb _ _ _ V e0 H0) as (? & ? & ?)]; auto. }
      assert (Past : forall e0, remR D v0 e0 \/ remW D v0 e0 -> lpos e0 < length tr).
      { intros e0 [H|H]; apply real_lt; [now apply (hi_Rb _ _ _ V)|now apply (hi_Wb _ _ _ V)]. }
      assert (Old : (remR D v0 e \/ remW D v0 e) -> (In e (sT (hsync s) t) -> In e (hset D (sT (hsync s) t) (mkL (length tr) x w))) ->
                related (says e) (hsync (access_by t (mkL (length tr) x w) s)) (psets (tr ++ [if w then CWr t x else CRd t x]))).
      { intros H Hk. apply access_says; auto. eapply ri_says; eauto. }
      assert (New : e = mkL (length tr) x w -> (w = true \/ tracks D = true) ->
                related (says e) (hsync (access_by t (mkL (length tr) x w) s)) (psets (tr ++ [if w then CWr t x else CRd t x]))).
      { intros -> H. apply access_says_new; auto. now apply ho_set_new. }
      destruct w; simpl in Hv.
      * pose proof (ho_wr_some D _ _ _ _ Hv) as (_ & _ & Ws & Rs).
        pose proof (ho_set_wr D _ _ _ _ Hv eq_refl Fr e He) as Keep.
        destruct He as [He|He]; [apply Old; auto|]. apply Ws in He as [He|He]; [apply Old; auto|apply New; auto].
      * pose proof (ho_rd_some D _ _ _ _ Hv) as (_ & EW & _ & Rs & _).
        assert (Keep : In e (sT (hsync s) t) -> In e (hset D (sT (hsync s) t) (mkL (length tr) x false))).
        { apply (ho_set_rd D _ _ _ _ Hv eq_refl Fr); try apply Typed; auto.
          intros e0 Hk Hx Hw. simpl in Hx. apply (rl_T _ _ _ (ri_real _ _ I)) in Hk as [u Hu]. rewrite Hw, Hx in Hu.
          destruct (hi_Wa _ _ _ V _ _ Hu) as (w & Hwm & Hs). exists w. split; auto. now apply reach_idx in Hs. }
        destruct He as [He|He].
        { apply Rs in He as [He|[He Ht]]; [apply Old; auto|apply New; auto]. }
        { apply Old; auto. right. now apply EW. }
    + pose proof (ri_var _ _ I y) as V. rewrite Hv in V.
      assert (Hy : lvar e = y /\ real tr e).
      { destruct He as [H|H]; [destruct (hi_Rb _ _ _ V e H) as (? & ? & ?)|destruct (hi_Wb _ _ _ V e H) as (? & ? & ?)]; auto. }
      destruct Hy as [Hy Hr]. apply access_says; [now apply real_lt|eapply ri_says; eauto|].
      apply ho_set_other. simpl. congruence.
  - intros y. unfold access_by. simpl. unfold upd. destruct (Nat.eqb_spec y x) as [->|Hne].
    + destruct (hvar s x) as [v|] eqn:E0; [|pose proof (ri_var _ _ I x) as V; rewrite E0 in V; now apply crace_snoc].
      destruct w; simpl.
      * destruct (hwr D (sT (hsync s) t) (mkL (length tr) x true) v) as [v'|] eqn:E; [eapply write_ok; eauto|].
        apply ho_wr_none in E as (e & He & Hn). apply (race_new tr s t x true v e); auto. tauto.
      * destruct (hrd D (sT (hsync s) t) (mkL (length tr) x false) v) as [v'|] eqn:E; [eapply read_ok; eauto|].
        apply ho_rd_none in E as (e & He & Hn). apply (race_new tr s t x false v e); auto.
    + pose proof (ri_var _ _ I y) as V. destruct (hvar s y); [|now apply crace_snoc].
      apply HInv_other; auto. destruct w; simpl; congruence.
Qed.

Lemma RInv_sync tr s a : cfeasible cap tr -> ~ caccess a -> RInv tr s -> RInv (tr ++ [a]) (mkH (csync [] kjoin (hsync s) a) (hvar s)).
Proof.
  intros F Ha I. pose proof I as [R S V]. constructor; simpl.
  - rewrite psets_snoc. apply related_step.
    + intros e [].
    + intros k p k' p' H H' e He. apply in_kjoin in He as [He|He]; auto.
    + destruct R as [T L Fq B' U X]. assert (N : forall k p q, allreal tr k p -> allreal (tr ++ [a]) k q).
      { intros k p q H e He. apply real_snoc. auto. }
      constructor; intros; eauto; [apply (Forall2_map_l (allreal tr) _ _ _ (fun k p => N k p p) (Fq c))|apply (Forall2_map_l (allreal tr) _ _ _ (fun k p => N k p p) (B' c))].
  - intros x v e Hv He. rewrite psets_snoc. apply related_step.
    + unfold says, pbot. simpl. tauto.
    + unfold says, pjoin. intros k p k' p' H H'. rewrite in_kjoin. tauto.
    + apply says_mark; [|eapply S; eauto]. specialize (V x). rewrite Hv in V.
      assert (real tr e) by (destruct He as [H|H]; [now apply (hi_Rb _ _ _ V)|now apply (hi_Wb _ _ _ V)]).
      apply real_lt in H. lia.
  - intros x. specialize (V x). destruct (hvar s x); [|now apply crace_snoc].
    apply HInv_other; auto. intros K. apply Ha. destruct a; simpl in *; auto.
Qed.

Lemma RInv_gc tr s sy : RInv tr s -> related (thinner s) sy (hsync s) -> RInv tr (mkH sy (hvar s)).
Proof.
  intros [R S V] G. constructor; simpl; auto.
  - eapply related_comp; [|exact G|exact R]. intros k' k p [H _] K e He. auto.
  - intros x v e Hv He. eapply related_comp; [|exact G|eapply S; eauto].
    intros k' k p [H1 H2] K. unfold says in *. rewrite <- K. split; [auto|]. apply H2. exists x, v. auto.
Qed.

Theorem hruns_inv tr s : hruns tr s -> cfeasible cap tr -> RInv tr s.
Proof.
  induction 1 as [|tr s a H IH|tr s sy H IH G]; intros F.
  - assert (N : forall j (b : cop), nth_error [] j <> Some b) by (intros [|j] b; discriminate).
    constructor; simpl.
    + constructor; simpl; auto; intros ? e [].
    + intros x v e [= <-] He. destruct (ho_0 D e). tauto.
    + intros x. constructor; intros; try (exfalso; eapply N; eauto; fail);
      [destruct (ho_0 D w)|destruct (ho_0 D r)]; contradiction.
  - inversion F as [E|tr' a' Ft Ho E]; [destruct tr; discriminate|]. apply app_inj_tail in E as [-> ->]. specialize (IH Ft).
    destruct a as [t x|t x|t m|t m|t u|t u|t c|t c|t u c|t c|t c]; unfold hstep;
    try (apply RInv_sync; auto; intros []).
    + apply (RInv_access tr s t x false); auto.
    + apply (RInv_access tr s t x true); auto.
  - apply RInv_gc; auto.
Qed.

(** The variable is flagged if and only if there is a race on it, wherever collections took place. *)
Theorem hbset_precise tr s x : hruns tr s -> cfeasible cap tr -> (hvar s x = None <-> crace_on cap (tracks D) tr x).
Proof.
  intros H F. pose proof (ri_var _ _ (hruns_inv tr s H F) x) as V. destruct (hvar s x) as [v|]; [|tauto].
  split; [discriminate|]. intros (j & i & a & b & Hij & Ha & Hb & Cf & Hh). exfalso. apply Hh. eapply hi_rf; eauto.
Qed.
End Generic.
