(** FastTrack directly, as 000 Section 3.3.2 does it: Lemma 2 (FastTrack's Lemma 4, corrected), its converse, and precision.

    Completeness is the paper's: an access on which FastTrack is stuck races with one that it remembers, since by Lemma 2 its thread would know the time of
    that one if it happened before. Soundness is that what FastTrack remembers stands for all accesses so far: [VInv], shared with the other detectors, whose
    steps rest on the converse (here [lemma_2_converse], there [inv_T]). *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VerifiedFT FastTrack.

Section Lemma2.
Variable j : bool.
Notation clk := (clk j).

(** K^a(t): the clock of t with which the operation [a], done in state [s], is judged. As in FastTrack's proof, acquires and joins look ahead. *)
Definition judged (s : sync) (a : op) : vc :=
  match a with
  | Acq t m => vjoin (C s t) (L s m)
  | Join t u => vjoin (C s t) (C s u)
  | _ => C s (thr a)
  end.
(** The same of the operation at position i. *)
Definition K (tr : trace) (i : nat) : vc :=
  match nth_error tr i with Some a => judged (clk (firstn i tr)) a | None => vbot end.

Lemma K_old tr a i : i < length tr -> K (tr ++ [a]) i = K tr i.
Proof.
  intros H. unfold K. rewrite nth_error_snoc_lt by auto. destruct (nth_error tr i); auto.
  rewrite firstn_app. replace (i - length tr) with 0 by lia. simpl. now rewrite app_nil_r.
Qed.
Lemma K_new tr a : K (tr ++ [a]) (length tr) = judged (clk tr) a.
Proof.
  unfold K. rewrite nth_error_snoc_eq. rewrite firstn_app, Nat.sub_diag, firstn_all. simpl. now rewrite app_nil_r.
Qed.

Lemma vle_refl v : vle v v. Proof. intros u. lia. Qed.
Lemma vle_trans a b c : vle a b -> vle b c -> vle a c.
Proof. intros H1 H2 u. specialize (H1 u). specialize (H2 u). lia. Qed.

Ltac cases_upd := unfold upd, vjoin, vinc, upd;
  repeat (match goal with |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst end); try lia.

Lemma clock_grows s a t : vle (C s t) (C (sync_step j s a) t).
Proof. intros w. destruct a; simpl; try lia; try destruct j; cases_upd. Qed.

Lemma judged_own s a : vle (C s (thr a)) (judged s a).
Proof. intros w. destruct a; simpl; unfold vjoin; lia. Qed.

Lemma judged_after s a t : toT a t -> vle (judged s a) (C (sync_step j s a) t).
Proof. intros [<-|[p ->]] w; [destruct a|]; simpl; try lia; try destruct j; cases_upd. Qed.

(** What is known to a thread, or to a lock, was judged with at most its clock. *)
Lemma known_below tr : feasible tr ->
  (forall t i, knowT tr t i -> vle (K tr i) (C (clk tr) t)) /\ (forall m i, knowL tr m i -> vle (K tr i) (L (clk tr) m)).
Proof.
  intros F. induction F as [|tr a F [IT IL] [Hj Hok]].
  - split; [intros t i (k & b & Hb & _)|intros m i (k & b & Hb & _)]; destruct k; discriminate.
  - assert (New : forall i, i = length tr \/ hb (tr ++ [a]) i (length tr) -> vle (K (tr ++ [a]) i) (judged (clk tr) a)).
    { intros i [->|H]; [rewrite K_new; apply vle_refl|]. pose proof (hb_lt _ _ _ H). rewrite K_old by lia.
      apply hb_new_char in H as [H|H].
      - eapply vle_trans; [apply (IT _ _ H)|apply judged_own].
      - destruct a; try contradiction; simpl.
        + eapply vle_trans; [apply (IL _ _ H)|]. intros w. unfold vjoin. lia.
        + eapply vle_trans; [apply (IT _ _ H)|]. intros w. unfold vjoin. lia. }
    rewrite clk_snoc. split.
    + intros t i H. apply knowT_snoc in H as [H|[Ht H]].
      * pose proof (knowT_lt _ _ _ H). rewrite K_old by auto. eapply vle_trans; [apply (IT _ _ H)|apply clock_grows].
      * eapply vle_trans; [apply New; exact H|now apply judged_after].
    + intros m i H. apply knowL_snoc in H as [H|[[t ->] H]].
      * pose proof (knowL_lt _ _ _ H). rewrite K_old by auto. specialize (IL _ _ H).
        destruct a as [t x|t x|t m'|t m'|t u|t u|t]; simpl; auto. unfold upd. destruct (Nat.eqb_spec m m') as [<-|]; auto.
        apply IT. now apply (holder_knows tr m t F Hok).
      * simpl. unfold upd. rewrite Nat.eqb_refl. apply (New i H).
Qed.

(** Lemma 2 of 000. The operation b at the end need not succeed; neither need those before, since clocks do not depend on variables. *)
Theorem lemma_2 tr b i : feasible tr -> hb (tr ++ [b]) i (length tr) -> vle (K (tr ++ [b]) i) (K (tr ++ [b]) (length tr)).
Proof.
  intros F H. pose proof (hb_lt _ _ _ H) as [Hl _]. rewrite K_new, K_old by auto.
  destruct (known_below tr F) as [IT IL]. apply hb_new_char in H as [H|H].
  - eapply vle_trans; [apply (IT _ _ H)|apply judged_own].
  - destruct b; try contradiction; simpl.
    + eapply vle_trans; [apply (IL _ _ H)|]. intros w. unfold vjoin. lia.
    + eapply vle_trans; [apply (IT _ _ H)|]. intros w. unfold vjoin. lia.
Qed.

(** The own entry of an access's clock is its time. *)
Definition is_access (a : op) : Prop := exists x, accesses x a.
Lemma K_own tr i a : is_access a -> nth_error tr i = Some a -> K tr i (thr a) = ts j tr i.
Proof. intros [x Hx] Ha. unfold K, ts. rewrite Ha. destruct a; simpl in Hx; try contradiction; reflexivity. Qed.

(** The converse, for accesses: if b's thread knows the time of a, then a happens before b. *)
Theorem lemma_2_converse tr a b i : feasible tr -> is_access b -> nth_error tr i = Some a ->
  ts j tr i <= C (clk tr) (thr b) (thr a) -> hb (tr ++ [b]) i (length tr).
Proof.
  intros F [x Hx] Ha H. apply hb_new_char. left. now apply (inv_T _ _ (clocks_correct j tr F) (thr b) i a Ha).
Qed.

(** As the paper uses Lemma 2: if b's thread does not know the time of a, a conflicting access, then b, stuck or not, races with a. *)
Lemma unknown_race tr a b i x : feasible tr -> nth_error tr i = Some a -> conflict x a b ->
  C (clk tr) (thr b) (thr a) < ts j tr i -> race_at (tr ++ [b]) x (length tr).
Proof.
  intros F Ha Cf H. pose proof (nth_error_lt _ _ _ Ha) as Hl.
  assert (is_access a /\ is_access b) as [Aa Ab] by (split; exists x; destruct a, b; simpl in *; tauto).
  exists i, a, b. rewrite nth_error_snoc_lt, nth_error_snoc_eq by auto. repeat split; auto.
  intros Hb. apply lemma_2 in Hb; auto. specialize (Hb (thr a)). rewrite K_new, K_old, (K_own tr i a Aa Ha) in Hb by auto.
  destruct Ab as [y Hy]. destruct b; simpl in Hy; try contradiction; simpl in *; lia.
Qed.
End Lemma2.

(** ** FastTrack *)

(** What FastTrack remembers of x is of accesses that were made, it stands for all of them, and these do not race ([VInv]); where a rule applies, that stays so. *)
Lemma rule_keeps tr x s a : feasible tr -> ok_next tr a -> dvar _ (drun FastTrack tr) x = Some s -> VInv FastTrack tr x s ->
  forall s', dvar _ (drun FastTrack (tr ++ [a])) x = Some s' -> VInv FastTrack (tr ++ [a]) x s'.
Proof.
  intros F [Hj _] E V s'. rewrite drun_snoc. unfold dstep. rewrite drun_sync. cbn [dvar].
  pose proof (clocks_correct true tr F) as I.
  assert (Other : ~ accesses x a -> Some s = Some s' -> VInv FastTrack (tr ++ [a]) x s').
  { intros Hx [= <-]. now apply VInv_other. }
  destruct a as [t y|t y|t m|t m|t u|t u|t]; try (rewrite E; now apply Other);
  (unfold upd; destruct (Nat.eqb_spec x y) as [<-|Hxy]; [|rewrite E; apply Other; simpl; congruence]); rewrite E; intros Er.
  - eapply (VInv_read FastTrack); eauto. exact (o_rd_some FastTrack _ _ _ _ (inv_pos _ _ I t) Er).
  - eapply (VInv_write FastTrack); eauto. exact (o_wr_some FastTrack _ _ _ _ (inv_pos _ _ I t) Er).
Qed.

(** Where none of its rules applies, the access races with one that is remembered. *)
Lemma stuck_race tr x s a : feasible tr -> dvar _ (drun FastTrack tr) x = Some s -> VInv FastTrack tr x s ->
  dvar _ (drun FastTrack (tr ++ [a])) x = None -> race_at (tr ++ [a]) x (length tr).
Proof.
  intros F E V. rewrite drun_snoc. unfold dstep. rewrite drun_sync. cbn [dvar].
  pose proof (clocks_correct true tr F) as I.
  destruct a as [t y|t y|t m|t m|t u|t u|t]; try (rewrite E; discriminate);
  (unfold upd; destruct (Nat.eqb_spec x y) as [<-|Hxy]; [|rewrite E; discriminate]); rewrite E; intros Er.
  - destruct (o_rd_none FastTrack _ _ _ (inv_pos _ _ I t) Er) as (u & k & Hw & Hk).
    destruct (vi_Wb _ _ _ _ V _ _ Hw) as (i & Hi & <-). eapply (unknown_race true); eauto; simpl; auto.
  - destruct (o_wr_none FastTrack _ _ _ (inv_pos _ _ I t) Er) as (u & k & [Hr|Hw] & Hk).
    + destruct (vi_Rb _ _ _ _ V _ _ Hr) as (i & Hi & <-). eapply (unknown_race true); eauto; simpl; auto.
    + destruct (vi_Wb _ _ _ _ V _ _ Hw) as (i & Hi & <-). eapply (unknown_race true); eauto; simpl; auto.
Qed.

Lemma flagged_stays tr x a : dvar _ (drun FastTrack tr) x = None -> dvar _ (drun FastTrack (tr ++ [a])) x = None.
Proof. intros E. rewrite drun_snoc. destruct a; simpl; auto; unfold upd; destruct (Nat.eqb_spec x x0); subst; now rewrite ?E. Qed.
Lemma vinv_no_race tr x s : VInv FastTrack tr x s -> ~ race_on tr x.
Proof. intros V (j & i & a & b & Hij & Ha & Hb & Cf & Hh). apply Hh. eapply vi_rf; eauto. Qed.

(** So a whole run ends in what is remembered, or in a race. *)
Lemma fasttrack_run tr x : feasible tr ->
  match dvar _ (drun FastTrack tr) x with Some s => VInv FastTrack tr x s | None => race_on tr x end.
Proof.
  intros F. induction F as [|tr a F IH Hok].
  - simpl. constructor; try (intros u k [? [=]]; lia); intros [|i]; discriminate.
  - destruct (dvar _ (drun FastTrack tr) x) as [s|] eqn:E.
    + destruct (dvar _ (drun FastTrack (tr ++ [a])) x) as [s'|] eqn:E'; [eapply rule_keeps; eauto|].
      exists (length tr). eapply stuck_race; eauto.
    + rewrite (flagged_stays tr x a E). now apply race_on_snoc.
Qed.

(** FastTrack flags x if and only if there is a race on x, directly. *)
Theorem fasttrack_direct tr x : feasible tr -> (dvar _ (drun FastTrack tr) x = None <-> race_on tr x).
Proof.
  intros F. pose proof (fasttrack_run tr x F) as H. destruct (dvar _ (drun FastTrack tr) x) as [s|]; [|tauto].
  apply vinv_no_race in H. split; [discriminate|tauto].
Qed.
(** ... at the access that completes the first race on x, and at no other. *)
Theorem fasttrack_first_race tr a x : feasible (tr ++ [a]) -> dvar _ (drun FastTrack tr) x <> None ->
  (dvar _ (drun FastTrack (tr ++ [a])) x = None <-> race_at (tr ++ [a]) x (length tr)).
Proof.
  intros F Hn. inversion F as [E|tr' a' Ft _ E]; [destruct tr; discriminate|]. apply app_inj_tail in E as [-> ->].
  pose proof (fasttrack_run tr x Ft) as V. destruct (dvar _ (drun FastTrack tr) x) as [s|] eqn:Es; [|congruence]. split.
  - now apply (stuck_race tr x s a).
  - intros H. apply fasttrack_direct; auto. now exists (length tr).
Qed.
