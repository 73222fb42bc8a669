(** What some definitions mean beyond what the theorems need: with another comparison in them, one of these fails. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Vectors Handlers Lang Instrument.
From Deadheat Require PaperV2.

(** ** The handlers *)

(** Handlers are called by the N threads. *)
Lemma callers_within ver N g es g' t a : gstep ver N g es g' -> In (HInv t a) es -> t < N.
Proof. intros S. destruct S; simpl; try destruct o; simpl; intuition congruence. Qed.

Lemma op_eqb_iff a b : op_eqb a b = true <-> a = b.
Proof.
  split; [|intros <-; destruct a; simpl; now rewrite ?Nat.eqb_refl].
  destruct a, b; simpl; try discriminate; rewrite ?andb_true_iff, ?Nat.eqb_eq; intuition congruence.
Qed.

(** ** The language of the instrumentation pass *)

Definition all_instructions : list instr :=
  [Assign (U 0) (Plus (Get (U 1)) (Max (Num 1) (Get (U 2)))); Lock (Lk 0); Store (Get (U 0)) (Var 5); Unlock (Lk 0);
   Spawn 1 [Lock (Lk 0); Load (U 0) (Var 5); Unlock (Lk 0)]; Wait 1; Assert (Num 0) (Get (U 0))].
Example all_instructions_wf : wf_prog 2 all_instructions.
Proof. unfold wf_prog, all_instructions. cbn. repeat split; auto; try lia; repeat constructor; cbn; lia. Qed.

(** For each condition a program that violates only that. *)
Example ill_formed :
  ~ usere (Plus (Get Tmp1) (Num 0)) /\ ~ usere (Max (Num 0) (Get Tmp2)) /\
  ~ src 2 (Assert (Get Tmp1) (Num 0)) /\ ~ src 2 (Assert (Num 0) (Get Tmp1)) /\ ~ src 2 (Wait 2) /\
  ~ src 2 (Spawn 2 []) /\ ~ src 2 (Spawn 1 [Unlock (Lk 0)]) /\ ~ src 2 (Spawn 1 [Wait 2; Wait 1]) /\ ~ src 2 (Spawn 1 [Wait 1; Wait 2]) /\
  ~ held_ok [] [Lock (Lk 0); Unlock (Lk 0); Unlock (Lk 0)] /\ ~ held_ok [0] [Unlock (Lk 0); Unlock (Lk 1)] /\
  ~ srcs 2 [Wait 2; Wait 1] /\ ~ srcs 2 [Wait 1; Wait 2].
Proof. repeat split; cbn; intuition lia. Qed.
Example ill_formed_programs :
  ~ wf_prog 0 [] /\ ~ wf_prog 2 [Wait 2] /\ ~ wf_prog 2 [Unlock (Lk 0)] /\
  ~ wf_prog 2 [Spawn 1 []; Spawn 1 []] /\ ~ wf_prog 2 [Spawn 0 []] /\ ~ wf_prog 2 [Wait 1; Wait 1].
Proof.
  unfold wf_prog. repeat split; intros (H1 & H2 & H3 & H4 & H5); cbn in *; try lia; try tauto;
  repeat match goal with H : NoDup (_ :: _) |- _ => inversion H; clear H; subst end; cbn in *; tauto.
Qed.

(** ** The vectors of reads of [PaperV2] *)

(** They grow by copy only, never in place. *)
Lemma lset_len v : forall t c, t < length v -> length (lset v t c) = length v.
Proof. induction v as [|a v IH]; intros [|t] c H; simpl in *; try lia. f_equal. apply IH. lia. Qed.
Lemma arrays_keep_their_length t m p l m' p' i : PaperV2.tstep t m p l m' p' -> PaperV2.cur m < length (PaperV2.heap m) ->
  i < length (PaperV2.heap m) -> length (nth i (PaperV2.heap m') []) = length (nth i (PaperV2.heap m) []).
Proof.
  intros S Hc Hi. destruct S; simpl; auto;
  try (rewrite app_nth1 by exact Hi; reflexivity).
  rewrite PaperV2.nth_nset by exact Hc. destruct (Nat.eqb_spec i (PaperV2.cur m)) as [->|]; auto. now apply lset_len.
Qed.
(** A write looks at no element beyond the end. *)
Lemma elements_within t m c k l m' c' k' : PaperV2.tstep t m (PaperV2.W7 c k) l m' (PaperV2.W7 c' k') -> k' <= length (PaperV2.mV m).
Proof. intros S. inversion S; subst. lia. Qed.
