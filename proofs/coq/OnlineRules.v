(** The rules of the online detector (`crates/online/src/rules.rs`): VerifiedFT's, but a write forgets shared reads; the access is recorded even if it races. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VerifiedFT.

(** W and R of a variable. R is an epoch ([ebot]: none) or a set of reads, at most one a thread. *)
Inductive reads := RE (e : epoch) | RS (v : lvc).
Record ost := mkO { oW : epoch; oR : reads }.
Definition ost0 : ost := mkO ebot (RE ebot).

Definition read_same (c : vc) (t : tid) (s : ost) : bool :=
  match oR s with RE r => eeq r (t, c t) | RS v => lget v t =? c t end.
(** The new state, and [false] for a race. *)
Definition o_rd (c : vc) (t : tid) (s : ost) : ost * bool :=
  if read_same c t s then (s, true)                                             (* Read Same Epoch, Read Shared Same Epoch *)
  else (mkO (oW s)
         (match oR s with
          | RS v => RS (lset v t (c t))                                         (* Read Shared *)
          | RE r => if ele r c then RE (t, c t)                                 (* Read Exclusive *)
                    else RS (lset (lset [] (fst r) (snd r)) t (c t))            (* Read Share *)
          end),
        ele (oW s) c).                                                          (* Write-Read Race *)
Definition reads_known (c : vc) (r : reads) : bool := match r with RE e => ele e c | RS v => lle v c end.
Definition o_wr (c : vc) (t : tid) (s : ost) : ost * bool :=
  if eeq (oW s) (t, c t) then (s, true)                                         (* Write Same Epoch *)
  else let ok := ele (oW s) c && reads_known c (oR s) in                        (* Write-Write, Read-Write, Shared-Write Race *)
       (mkO (t, c t) (match oR s with RS _ => if ok then RE ebot else oR s      (* Write Shared: the write stands for the reads *)
                                  | RE _ => oR s end), ok).                     (* Write Exclusive *)

Definition some_if (p : ost * bool) : option ost := if snd p then Some (fst p) else None.
Definition o_repR (s : ost) : tid -> nat -> Prop := match oR s with RE r => repE r | RS v => repV v end.

Program Definition Online : detector := {|
  jinc := false; VS := ost; v0 := ost0; rdv := fun c t s => some_if (o_rd c t s); wrv := fun c t s => some_if (o_wr c t s);
  repR := o_repR; repW := fun s => repE (oW s) |}.
Next Obligation. unfold o_repR, repE, ebot. simpl. split; intros [? [=]]; lia. Qed.
Next Obligation.
  unfold some_if, o_rd in H0. destruct (read_same c t s); simpl in H0; [discriminate|].
  destruct (ele (oW s) c) eqn:E; [discriminate|]. now apply ele_false.
Qed.
Next Obligation.
  unfold some_if, o_rd in H0. destruct (read_same c t s) eqn:Es; simpl in H0.
  - injection H0 as <-. left. split; auto. unfold read_same, o_repR in *. destruct (oR s) as [r|v].
    + apply eeq_true in Es. subst. unfold repE; auto.
    + apply Nat.eqb_eq in Es. unfold repV; auto.
  - destruct (ele (oW s) c) eqn:EW; [|discriminate]. injection H0 as <-. pose proof (ele_true _ _ EW) as HW.
    unfold o_repR. simpl. destruct (oR s) as [[u k]|v]; [destruct (ele (u, k) c) eqn:Er|].
    + pose proof (ele_true _ _ Er) as HR. split5; unfold repE; auto. intros w j [Hk [= <- <-]]. auto.
    + unfold ele in Er. simpl in Er. apply Nat.leb_gt in Er. split5; unfold repV, repE; simpl.
      * rewrite lget_lset, Nat.eqb_refl. auto.
      * intros w j [Hk He]. rewrite !lget_lset, lget_nil in He. eqbp; try lia; auto.
      * intros w j [Hk [= -> ->]]. rewrite !lget_lset, Nat.eqb_refl. eqbp; auto.
    + split5; unfold repV.
      * rewrite lget_lset, Nat.eqb_refl. auto.
      * intros w j [Hk He]. rewrite lget_lset in He. eqbp; auto.
      * intros w j [Hk He]. rewrite lget_lset. eqbp; auto.
Qed.
Next Obligation.
  unfold some_if, o_wr in H0. destruct (eeq (oW s) (t, c t)); simpl in H0; [discriminate|].
  destruct (ele (oW s) c) eqn:EW; [|destruct (ele_false _ _ EW) as (u & k & ? & ?); eauto].
  unfold o_repR. destruct (oR s) as [r|v]; simpl in H0.
  - destruct (ele r c) eqn:ER; [discriminate|]. destruct (ele_false _ _ ER) as (u & k & ? & ?); eauto.
  - destruct (lle v c) eqn:ER; [discriminate|]. apply lle_false in ER as [u Hu]. exists u, (lget v u). unfold repV. split; [left|]; lia.
Qed.
Next Obligation.
  unfold some_if, o_wr in H0. destruct (eeq (oW s) (t, c t)) eqn:Es; simpl in H0.
  - injection H0 as <-. left. split; auto. apply eeq_true in Es. rewrite Es. unfold repE; auto.
  - destruct (ele (oW s) c) eqn:EW; [|discriminate]. pose proof (ele_true _ _ EW) as HW. unfold o_repR.
    destruct (oR s) as [r|v] eqn:ER; simpl in H0.
    + destruct (ele r c) eqn:Er; [|discriminate]. injection H0 as <-. pose proof (ele_true _ _ Er) as HR. simpl.
      split4; auto; [intros u k [K|K]; auto|unfold repE; auto|intros u k [Hk [= <- <-]]; auto].
    + destruct (lle v c) eqn:Er; [|discriminate]. injection H0 as <-. rewrite lle_true in Er. simpl.
      split4; auto; [intros u k [[Hk <-]|K]; auto|unfold repE; auto|intros u k [Hk [= <- <-]]; auto|intros u k [Hk [= <- <-]]; lia].
Qed.

(** ** The rules as they go on after a race: the state of every variable, and the verdict of every access *)
Definition ck (tr : trace) := clk false tr.
Definition ostep (tr : trace) (f : var -> ost) (a : op) : (var -> ost) * bool :=
  match a with
  | Rd t x => let p := o_rd (C (ck tr) t) t (f x) in (upd f x (fst p), snd p)
  | Wr t x => let p := o_wr (C (ck tr) t) t (f x) in (upd f x (fst p), snd p)
  | _ => (f, true)
  end.
Fixpoint orun_rev (r : trace) : var -> ost :=
  match r with [] => fun _ => ost0 | a :: r' => fst (ostep (rev r') (orun_rev r') a) end.
Definition orun (tr : trace) : var -> ost := orun_rev (rev tr).
Definition verdict (tr : trace) (a : op) : bool := snd (ostep tr (orun tr) a).

Lemma orun_snoc tr a : orun (tr ++ [a]) = fst (ostep tr (orun tr) a).
Proof. unfold orun. rewrite rev_app_distr. simpl. now rewrite rev_involutive. Qed.

(** Has some access to x been told to race? *)
Fixpoint reported_rev (r : trace) (x : var) : Prop :=
  match r with [] => False | a :: r' => reported_rev r' x \/ (accesses x a /\ verdict (rev r') a = false) end.
Definition reported (tr : trace) (x : var) : Prop := reported_rev (rev tr) x.
Lemma reported_snoc tr a x : reported (tr ++ [a]) x <-> reported tr x \/ (accesses x a /\ verdict tr a = false).
Proof. unfold reported. rewrite rev_app_distr. simpl. now rewrite rev_involutive. Qed.

Lemma reported_flagged tr x :
  (reported tr x /\ dvar _ (drun Online tr) x = None) \/ (~ reported tr x /\ dvar _ (drun Online tr) x = Some (orun tr x)).
Proof.
  induction tr as [|a tr IH] using rev_ind; [right; split; auto; intros []|].
  rewrite reported_snoc, orun_snoc, drun_snoc. unfold dstep, verdict. rewrite drun_sync. simpl.
  destruct a as [t y|t y|t m|t m|t u|t u|t]; simpl; try (destruct IH as [[H ->]|[H ->]]; [left|right]; split; auto; intros [K|[K _]]; auto).
  - unfold upd. destruct (Nat.eqb_spec x y) as [->|Hne].
    + destruct IH as [[H ->]|[H ->]]; [left; auto|]. fold (ck tr). unfold some_if.
      destruct (o_rd (C (ck tr) t) t (orun tr y)) as [s' [|]]; simpl; [right|left]; split; auto. intros [K|[_ K]]; [auto|discriminate].
    + destruct IH as [[H ->]|[H ->]]; [left|right]; split; auto. intros [K|[K _]]; [auto|congruence].
  - unfold upd. destruct (Nat.eqb_spec x y) as [->|Hne].
    + destruct IH as [[H ->]|[H ->]]; [left; auto|]. fold (ck tr). unfold some_if.
      destruct (o_wr (C (ck tr) t) t (orun tr y)) as [s' [|]]; simpl; [right|left]; split; auto. intros [K|[_ K]]; [auto|discriminate].
    + destruct IH as [[H ->]|[H ->]]; [left|right]; split; auto. intros [K|[K _]]; [auto|congruence].
Qed.

(** The online rules report a race on x if and only if there is one. *)
Theorem online_precise tr x : feasible tr -> (reported tr x <-> race_on tr x).
Proof.
  intros F. rewrite <- (precise Online tr x F). destruct (reported_flagged tr x) as [[H E]|[H E]]; rewrite E; split; auto; [tauto|discriminate].
Qed.

(** The rules look at clocks entry by entry only. *)
Lemma lle_from_ext v : forall k c c', (forall u, c u = c' u) -> lle_from k v c = lle_from k v c'.
Proof. induction v as [|a v IH]; intros k c c' H; simpl; auto. rewrite H. erewrite IH; eauto. Qed.
Lemma lle_ext v c c' : (forall u, c u = c' u) -> lle v c = lle v c'.
Proof. apply lle_from_ext. Qed.
Lemma o_rd_ext c c' t s : (forall u, c u = c' u) -> o_rd c t s = o_rd c' t s.
Proof.
  intros H. unfold o_rd, read_same, ele. rewrite !H. destruct (oR s); rewrite ?H; auto.
Qed.
Lemma o_wr_ext c c' t s : (forall u, c u = c' u) -> o_wr c t s = o_wr c' t s.
Proof.
  intros H. unfold o_wr, reads_known, ele. rewrite !H. destruct (oR s); rewrite ?H, ?(lle_ext _ _ _ H); auto.
Qed.
