(** What a thread or a lock knows: the positions that happen before its next operation, and how each operation changes that. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace.

(** What thread t / lock m / joiner of u knows: the knowledge sets (the "happens-before set" detector). *)
Definition knowT (tr : trace) (t : tid) (i : nat) : Prop :=
  exists j b, nth_error tr j = Some b /\ (thr b = t \/ exists s, b = Fork s t) /\ hbeq tr i j.
Definition knowL (tr : trace) (m : lock) (i : nat) : Prop :=
  exists j s, nth_error tr j = Some (Rel s m) /\ hbeq tr i j.

Lemma hb_new_char tr a i :
  hb (tr ++ [a]) i (length tr) <->
  knowT tr (thr a) i \/
  match a with
  | Acq _ m => knowL tr m i
  | Join _ u => knowT tr u i
  | _ => False
  end.
Proof.
  rewrite hb_snoc_new. split.
  - intros (j & b & Hb & D & H). inversion D; subst; simpl.
    + left. exists j, b. auto.
    + right. exists j, t. auto.
    + left. exists j, (Fork t (thr a)). repeat split; auto. right; eauto.
    + right. exists j, b. auto.
    + right. exists j, (Fork t u). repeat split; auto. right; eauto.
  - intros [(j & b & Hb & [Et|[s ->]] & H) | H].
    + exists j, b. repeat split; auto. now apply dep_po.
    + exists j, (Fork s (thr a)). repeat split; auto. now apply dep_fork.
    + destruct a; try contradiction.
      * destruct H as (j & s & Hb & H). exists j, (Rel s m). repeat split; auto. apply dep_rel_acq.
      * destruct H as (j & b & Hb & [Et|[s ->]] & H).
        { exists j, b. repeat split; auto. now apply dep_join. }
        { exists j, (Fork s u). repeat split; auto. apply dep_fork_join. }
Qed.

Lemma hbeq_lt tr i j : hbeq tr i j -> i <= j.
Proof. intros [->|H]; [lia|]. apply hb_lt in H. lia. Qed.

Lemma knowT_lt tr t i : knowT tr t i -> i < length tr.
Proof. intros (j & b & Hb & _ & H). apply nth_error_lt in Hb. apply hbeq_lt in H. lia. Qed.
Lemma knowL_lt tr t i : knowL tr t i -> i < length tr.
Proof. intros (j & b & Hb & H). apply nth_error_lt in Hb. apply hbeq_lt in H. lia. Qed.

Lemma hbeq_snoc_old tr a i j : j < length tr -> (hbeq (tr ++ [a]) i j <-> hbeq tr i j).
Proof. intros. unfold hbeq. rewrite hb_snoc_old by auto. tauto. Qed.

(** The knowledge sets evolve exactly as the set detector computes them. *)
Definition toT (a : op) (t : tid) : Prop := thr a = t \/ exists s, a = Fork s t.

Lemma knowT_snoc tr a t i :
  knowT (tr ++ [a]) t i <->
  knowT tr t i \/ (toT a t /\ (i = length tr \/ hb (tr ++ [a]) i (length tr))).
Proof.
  unfold knowT, toT. split.
  - intros (j & b & Hb & Ht & H). apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> ->]].
    + left. exists j, b. rewrite hbeq_snoc_old in H by auto. auto.
    + right. split; auto.
  - intros [(j & b & Hb & Ht & H) | [Ht H]].
    + pose proof (nth_error_lt _ _ _ Hb). exists j, b.
      rewrite nth_error_snoc_lt by auto. rewrite hbeq_snoc_old by auto. auto.
    + exists (length tr), a. rewrite nth_error_snoc_eq. repeat split; auto.
Qed.

Lemma knowL_snoc tr a m i :
  knowL (tr ++ [a]) m i <->
  knowL tr m i \/ ((exists s, a = Rel s m) /\ (i = length tr \/ hb (tr ++ [a]) i (length tr))).
Proof.
  unfold knowL. split.
  - intros (j & s & Hb & H). apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> <-]].
    + left. exists j, s. rewrite hbeq_snoc_old in H by auto. auto.
    + right. split; eauto.
  - intros [(j & s & Hb & H) | [[s ->] H]].
    + pose proof (nth_error_lt _ _ _ Hb). exists j, s.
      rewrite nth_error_snoc_lt by auto. rewrite hbeq_snoc_old by auto. auto.
    + exists (length tr), s. rewrite nth_error_snoc_eq. split; auto.
Qed.

Lemma knowT_down tr t i j : knowT tr t j -> hbeq tr i j -> knowT tr t i.
Proof. intros (k & b & Hb & Ht & H) Hij. exists k, b. repeat split; auto. eapply hbeq_transitive; eauto. Qed.

Lemma knowT_own tr i b : nth_error tr i = Some b -> knowT tr (thr b) i.
Proof. intros. exists i, b. repeat split; auto. now left. Qed.

Lemma holder_from_snoc h m tr a :
  holder_from h m (tr ++ [a]) =
  match a with
  | Acq t m' => if m' =? m then Some t else holder_from h m tr
  | Rel _ m' => if m' =? m then None else holder_from h m tr
  | _ => holder_from h m tr
  end.
Proof. revert h. induction tr as [|b tr IH]; intros h; simpl; [destruct a; auto|destruct b; auto]. Qed.

Lemma holder_snoc tr a m :
  holder (tr ++ [a]) m =
  match a with
  | Acq t m' => if m' =? m then Some t else holder tr m
  | Rel _ m' => if m' =? m then None else holder tr m
  | _ => holder tr m
  end.
Proof. apply holder_from_snoc. Qed.

Lemma joined_snoc tr a u : joined (tr ++ [a]) u <-> joined tr u \/ exists t, a = Join t u.
Proof.
  unfold joined. split.
  - intros [t H]. apply in_app_or in H as [H|[H|[]]]; eauto.
  - intros [[t H]|[t ->]]; exists t; apply in_or_app; simpl; auto.
Qed.

(** while a lock is held, its holder knows everything the lock knows *)
Lemma holder_knows tr m t :
  feasible tr -> holder tr m = Some t -> forall i, knowL tr m i -> knowT tr t i.
Proof.
  intros F. revert m t. induction F as [|tr a F IH Hok]; intros m t Hh i Hk.
  - discriminate.
  - rewrite knowT_snoc. rewrite knowL_snoc in Hk. rewrite holder_snoc in Hh.
    destruct Hok as [Hj Hok].
    destruct Hk as [Hk|[[s ->] Hk]].
    + destruct a; try (left; now apply (IH m)).
      * destruct (Nat.eqb_spec m0 m) as [->|].
        { injection Hh as <-. right. split; [now left|]. right. rewrite hb_new_char. auto. }
        { left; now apply (IH m). }
      * destruct (Nat.eqb_spec m0 m) as [->|]; [discriminate|]. left; now apply (IH m).
    + rewrite Nat.eqb_refl in Hh. discriminate.
Qed.
