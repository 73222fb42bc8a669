(** Small traces that are feasible, racy or not, and judged as expected: the theorems are about something. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VectorClock VerifiedFT FastTrack MultiJoin PaperTrace.

(** Feasibility by computation, for examples. *)
Fixpoint ok_all (done todo : trace) : bool :=
  match todo with
  | [] => true
  | a :: r =>
      negb (existsb (fun b => match b with Join _ u => u =? thr a | _ => false end) done) &&
      match a with
      | Acq t m => match holder done m with None => true | _ => false end
      | Rel t m => match holder done m with Some u => u =? t | _ => false end
      | _ => true
      end && ok_all (done ++ [a]) r
  end.

Lemma ok_all_feasible todo : forall done, feasible done -> ok_all done todo = true -> feasible (done ++ todo).
Proof.
  induction todo as [|a r IH]; intros done F H; simpl in H; [now rewrite app_nil_r|].
  apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
  replace (done ++ a :: r) with ((done ++ [a]) ++ r) by now rewrite <- app_assoc. apply IH; auto. constructor; auto. split.
  - intros [t Hin]. apply negb_true_iff in H1. apply not_true_iff_false in H1. apply H1. apply existsb_exists.
    exists (Join t (thr a)). split; auto. apply Nat.eqb_refl.
  - destruct a; auto; destruct (holder done m); auto; try discriminate. apply Nat.eqb_eq in H2. now subst.
Qed.
Lemma feasible_by tr : ok_all [] tr = true -> feasible tr.
Proof. intros H. apply (ok_all_feasible tr []); auto. constructor. Qed.

(** Two threads write x under one lock: no race; the lock comes too late in the second trace: a race. *)
Definition locked : trace := [Fork 0 1; Acq 0 9; Wr 0 5; Rel 0 9; Acq 1 9; Wr 1 5; Rel 1 9; Join 0 1; Rd 0 5].
Definition unlocked : trace := [Fork 0 1; Wr 0 5; Acq 0 9; Rel 0 9; Wr 1 5; Acq 1 9; Rel 1 9; Join 0 1; Rd 0 5].

Example locked_feasible : feasible locked. Proof. now apply feasible_by. Qed.
Example unlocked_feasible : feasible unlocked. Proof. now apply feasible_by. Qed.

Example locked_race_free : race_free locked.
Proof.
  intros x. rewrite <- (precise VerifiedFT locked x locked_feasible). unfold drun. simpl.
  unfold upd. destruct (x =? 5); discriminate.
Qed.
Example unlocked_races : race_on unlocked 5 /\ ~ race_on unlocked 6.
Proof.
  rewrite <- !(precise VerifiedFT unlocked _ unlocked_feasible). split; [reflexivity|discriminate].
Qed.
(** ... by the definition too, without any detector: positions 1 and 4. *)
Example unlocked_race_by_definition : race_at (firstn 5 unlocked) 5 4.
Proof.
  exists 1, (Wr 0 5), (Wr 1 5). repeat split; auto; try lia. intros H.
  apply (hb_new_char [Fork 0 1; Wr 0 5; Acq 0 9; Rel 0 9] (Wr 1 5) 1) in H as [H|[]].
  destruct H as (j & b & Hb & [Ht|[s ->]] & H); destruct j as [|[|[|[|j]]]]; try (destruct j); try discriminate Hb;
  injection Hb as <-; try discriminate Ht.
  apply hbeq_lt in H. lia.
Qed.

(** Two concurrent reads do not race with each other, but with a write that follows one of them only (001, Figure 1's pattern). *)
Definition shared : trace := [Wr 0 5; Fork 0 1; Rd 0 5; Rd 1 5].
Definition shared_then_write : trace := shared ++ [Wr 0 5].
Example shared_ok : feasible shared /\ race_free shared.
Proof.
  split; [now apply feasible_by|]. intros x.
  rewrite <- (precise FastTrack shared x) by now apply feasible_by. unfold drun. simpl. unfold upd. destruct (x =? 5); discriminate.
Qed.
Example shared_write_races : feasible shared_then_write /\ race_on shared_then_write 5.
Proof. split; [now apply feasible_by|]. rewrite <- (precise VectorClock) by now apply feasible_by. reflexivity. Qed.

(** Two threads join the same one, which VectorClock with exits allows. *)
Definition twice_joined : trace := [Fork 0 1; Fork 0 2; Wr 1 5; Exit 1; Join 0 1; Join 2 1; Rd 0 5; Rd 2 5].
Example twice_joined_ok : mj_feasible twice_joined /\ race_free twice_joined.
Proof.
  split.
  - unfold twice_joined.
    change (mj_feasible (((((((([] ++ [Fork 0 1]) ++ [Fork 0 2]) ++ [Wr 1 5]) ++ [Exit 1]) ++ [Join 0 1]) ++ [Join 2 1]) ++ [Rd 0 5]) ++ [Rd 2 5])).
    repeat (apply mjf_snoc; [|split; [unfold exited; simpl; intuition discriminate|simpl; auto; unfold exited; simpl; auto 6]]). constructor.
  - intros x. rewrite <- (precise VerifiedFT twice_joined x) by now apply feasible_by.
    unfold drun. simpl. unfold upd. destruct (x =? 5); discriminate.
Qed.

(** Feasibility in the sense of the papers: traces that use all of it, and for each condition one that violates only that. *)
Ltac among H := cbn in H; repeat destruct H as [H|H]; try discriminate H; try contradiction H.

Definition all_kinds : trace := [Wr 0 0; Fork 0 1; Acq 0 9; Wr 0 5; Rel 0 9; Acq 1 9; Rd 1 5; Rel 1 9; Exit 1; Join 0 1].
Example all_kinds_feasible : p_feasible all_kinds /\ mj_feasible all_kinds.
Proof.
  unfold all_kinds.
  split; change [Wr 0 0; Fork 0 1; Acq 0 9; Wr 0 5; Rel 0 9; Acq 1 9; Rd 1 5; Rel 1 9; Exit 1; Join 0 1]
    with (((((((((([] ++ [Wr 0 0]) ++ [Fork 0 1]) ++ [Acq 0 9]) ++ [Wr 0 5]) ++ [Rel 0 9]) ++ [Acq 1 9]) ++ [Rd 1 5]) ++ [Rel 1 9]) ++ [Exit 1]) ++ [Join 0 1]).
  - repeat (apply pf_snoc; [|split; [intros [s N]; among N|cbn; try reflexivity; try exact I]]); [constructor| |].
    + split; [intros s N; among N|]. split; [|discriminate]. intros b [<-|[]]. discriminate.
    + split; [|discriminate]. intros s i N. exists 5, (Acq 1 9).
      do 10 (destruct i as [|i]; [cbn in N; try discriminate N; repeat split; lia|]). destruct i; discriminate N.
  - repeat (apply mjf_snoc; [|split; [unfold exited; cbn; intuition discriminate|cbn; try reflexivity; try exact I; unfold exited; cbn; auto 10]]). constructor.
Qed.

Example paper_infeasible :
  ~ p_ok [Join 0 1] (Wr 1 0) /\ ~ p_ok [Acq 0 9] (Acq 1 9) /\ ~ p_ok [Acq 0 9] (Rel 1 9) /\
  ~ p_ok [Fork 0 2] (Fork 1 2) /\ ~ p_ok [Wr 1 0] (Fork 0 1) /\ ~ p_ok [] (Fork 0 0) /\
  ~ p_ok [Fork 0 1] (Join 0 1) /\ ~ p_ok [Fork 1 1] (Join 0 1) /\ ~ p_ok [Fork 0 1; Wr 0 0] (Join 0 1) /\ ~ p_ok [] (Join 0 0).
Proof.
  repeat split; intros [N H]; cbn in H.
  - apply N. exists 0. now left.
  - discriminate.
  - discriminate.
  - destruct H as [H _]. apply (H 0). now left.
  - destruct H as [_ [H _]]. apply (H (Wr 1 0)); [now left|reflexivity].
  - now destruct H as [_ [_ H]].
  - destruct H as [H _]. destruct (H 0 0 eq_refl) as ([|[|j]] & b & Hj & Hb & Ht); (lia || discriminate Hb).
  - destruct H as [H _]. destruct (H 1 0 eq_refl) as ([|[|j]] & b & Hj & Hb & Ht); (lia || discriminate Hb).
  - destruct H as [H _]. destruct (H 0 0 eq_refl) as ([|[|[|j]]] & b & Hj & Hb & Ht); try lia; try discriminate Hb.
    injection Hb as <-. discriminate Ht.
  - now destruct H as [_ H].
Qed.

Example multijoin_infeasible : ~ mj_ok [Exit 1] (Wr 1 0) /\ ~ mj_ok [Acq 0 9] (Acq 1 9) /\ ~ mj_ok [Acq 0 9] (Rel 1 9) /\ ~ mj_ok [] (Join 0 1).
Proof. repeat split; intros [N H]; cbn in H; try discriminate; [apply N; now left|contradiction H]. Qed.
