(** FastTrack directly, as 000 Section 3.3.2 does it: Lemma 2 (FastTrack's Lemma 4, corrected), its converse, and precision. *)
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

(** The converse, for accesses: if b's thread knows the time of a, then a happens before b. *)
Definition is_access (a : op) : Prop := exists x, accesses x a.
Theorem lemma_2_converse tr a b i : feasible tr -> is_access b -> nth_error tr i = Some a ->
  ts j tr i <= C (clk tr) (thr b) (thr a) -> hb (tr ++ [b]) i (length tr).
Proof.
  intros F [x Hx] Ha H. apply hb_new_char. left. now apply (inv_T _ _ (clocks_correct j tr F) (thr b) i a Ha).
Qed.
End Lemma2.

(** FastTrack flags x if and only if there is a race on x, directly. *)
Theorem fasttrack_direct tr x : feasible tr -> (dvar _ (drun FastTrack tr) x = None <-> race_on tr x).
Proof. apply precise. Qed.
(** ... at the access that completes the first race on x, and at no other. *)
Theorem fasttrack_first_race tr a x : feasible (tr ++ [a]) -> dvar _ (drun FastTrack tr) x <> None ->
  (dvar _ (drun FastTrack (tr ++ [a])) x = None <-> race_at (tr ++ [a]) x (length tr)).
Proof. apply first_race. Qed.
