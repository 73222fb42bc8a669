(** Traces of operations, which of them are feasible, happens-before by definition, and races. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.

Definition tid := nat.
Definition lock := nat.
Definition var := nat.

Inductive op : Type :=
| Rd (t : tid) (x : var) | Wr (t : tid) (x : var)
| Acq (t : tid) (m : lock) | Rel (t : tid) (m : lock)
| Fork (t u : tid) | Join (t u : tid) | Exit (t : tid).

Definition thr (a : op) : tid :=
  match a with
  | Rd t _ | Wr t _ | Acq t _ | Rel t _ | Fork t _ | Join t _ | Exit t => t
  end.

Definition trace := list op.

(** ** Feasibility (a prefix-closed property; weaker than the papers': it is all the proofs use) *)

Fixpoint holder_from (h : option tid) (m : lock) (tr : trace) : option tid :=
  match tr with
  | [] => h
  | Acq t m' :: r => holder_from (if m' =? m then Some t else h) m r
  | Rel _ m' :: r => holder_from (if m' =? m then None else h) m r
  | _ :: r => holder_from h m r
  end.
Definition holder (tr : trace) (m : lock) := holder_from None m tr.

Definition joined (tr : trace) (u : tid) := exists t, In (Join t u) tr.

Definition ok_next (tr : trace) (a : op) : Prop :=
  ~ joined tr (thr a) /\
  match a with
  | Acq t m => holder tr m = None
  | Rel t m => holder tr m = Some t
  | _ => True
  end.

Inductive feasible : trace -> Prop :=
| feas_nil : feasible []
| feas_snoc tr a : feasible tr -> ok_next tr a -> feasible (tr ++ [a]).

(** ** Happens-before, over positions *)

(** [dep a b]: a direct ordering edge from the earlier [a] to the later [b]. *)
Inductive dep : op -> op -> Prop :=
| dep_po a b : thr a = thr b -> dep a b
| dep_rel_acq t u m : dep (Rel t m) (Acq u m)
| dep_fork t u b : thr b = u -> dep (Fork t u) b
| dep_join t u a : thr a = u -> dep a (Join t u)
| dep_fork_join t t' u : dep (Fork t u) (Join t' u).

Definition edge (tr : trace) (i j : nat) : Prop :=
  i < j /\ exists a b, nth_error tr i = Some a /\ nth_error tr j = Some b /\ dep a b.

Inductive hb (tr : trace) : nat -> nat -> Prop :=
| hb_edge i j : edge tr i j -> hb tr i j
| hb_trans i j k : hb tr i j -> edge tr j k -> hb tr i k.

Definition hbeq tr i j := i = j \/ hb tr i j.

(** ** Races *)

Definition conflict (x : var) (a b : op) : Prop :=
  match a, b with
  | Rd _ y, Wr _ z | Wr _ y, Rd _ z | Wr _ y, Wr _ z => y = x /\ z = x
  | _, _ => False
  end.

(** a race on x whose second access is at position j *)
Definition race_at (tr : trace) (x : var) (j : nat) : Prop :=
  exists i a b, i < j /\ nth_error tr i = Some a /\ nth_error tr j = Some b
    /\ conflict x a b /\ ~ hb tr i j.

Definition race_on (tr : trace) (x : var) : Prop := exists j, race_at tr x j.
Definition race_free (tr : trace) : Prop := forall x, ~ race_on tr x.

(** ** Basic facts *)

Lemma nth_error_snoc_lt {A} (l : list A) a i : i < length l -> nth_error (l ++ [a]) i = nth_error l i.
Proof. intros; now rewrite nth_error_app1. Qed.

Lemma nth_error_snoc_eq {A} (l : list A) a : nth_error (l ++ [a]) (length l) = Some a.
Proof. rewrite nth_error_app2 by lia. now rewrite Nat.sub_diag. Qed.

Lemma nth_error_lt {A} (l : list A) i a : nth_error l i = Some a -> i < length l.
Proof. intros H. apply nth_error_Some. congruence. Qed.

Lemma nth_error_snoc_inv {A} (l : list A) a i b :
  nth_error (l ++ [a]) i = Some b ->
  (i < length l /\ nth_error l i = Some b) \/ (i = length l /\ b = a).
Proof.
  intros H. pose proof (nth_error_lt _ _ _ H) as Hl. rewrite app_length in Hl; simpl in Hl.
  destruct (Nat.eq_dec i (length l)) as [->|].
  - right. rewrite nth_error_snoc_eq in H. split; congruence.
  - left. split; [lia|]. rewrite nth_error_snoc_lt in H by lia. exact H.
Qed.

Lemma edge_lt tr i j : edge tr i j -> i < j /\ j < length tr.
Proof. intros [H (a & b & Ha & Hb & _)]. apply nth_error_lt in Hb. lia. Qed.

Lemma hb_lt tr i j : hb tr i j -> i < j /\ j < length tr.
Proof.
  induction 1 as [i j H | i j k H IH E].
  - now apply edge_lt in H.
  - apply edge_lt in E. lia.
Qed.

Lemma hb_transitive tr i j k : hb tr i j -> hb tr j k -> hb tr i k.
Proof.
  intros H1 H2. induction H2; [eapply hb_trans; eauto|eapply hb_trans; [apply IHhb; exact H1|auto]].
Qed.

Lemma hbeq_transitive tr i j k : hbeq tr i j -> hbeq tr j k -> hbeq tr i k.
Proof.
  intros [->|H1] [->|H2]; try (now left); right; auto. eapply hb_transitive; eauto.
Qed.

Lemma edge_snoc tr a i j : j < length tr -> (edge (tr ++ [a]) i j <-> edge tr i j).
Proof.
  intros Hj. unfold edge. split; intros [Hl (b & c & Hb & Hc & D)]; (split; [auto|]);
  exists b, c; rewrite ?nth_error_snoc_lt in * by lia; auto.
Qed.

Lemma hb_snoc_old tr a i j : j < length tr -> (hb (tr ++ [a]) i j <-> hb tr i j).
Proof.
  intros Hj. split; intros H.
  - induction H as [i j E | i j k H IH E].
    + apply hb_edge. apply (edge_snoc tr a) in E; auto.
    + apply (edge_snoc tr a) in E; [|auto]. pose proof (edge_lt _ _ _ E).
      eapply hb_trans; [apply IH; lia|exact E].
  - induction H as [i j E | i j k H IH E].
    + apply hb_edge. apply edge_snoc; auto.
    + pose proof (edge_lt _ _ _ E). eapply hb_trans; [apply IH; lia|]. apply edge_snoc; auto.
Qed.

Lemma hb_snoc_new tr a i :
  hb (tr ++ [a]) i (length tr) <->
  exists j b, nth_error tr j = Some b /\ dep b a /\ hbeq tr i j.
Proof.
  split.
  - intros H. remember (length tr) as n eqn:En. destruct H as [i j E | i j k H E]; subst.
    + destruct E as [Hl (b & c & Hb & Hc & D)].
      rewrite nth_error_snoc_eq in Hc. injection Hc as <-.
      rewrite nth_error_snoc_lt in Hb by lia.
      exists i, b. repeat split; auto. now left.
    + destruct E as [Hl (b & c & Hb & Hc & D)].
      rewrite nth_error_snoc_eq in Hc. injection Hc as <-.
      rewrite nth_error_snoc_lt in Hb by lia.
      exists j, b. repeat split; auto. right. now apply hb_snoc_old in H.
  - intros (j & b & Hb & D & H). pose proof (nth_error_lt _ _ _ Hb).
    assert (E : edge (tr ++ [a]) j (length tr)).
    { split; [auto|]. exists b, a. rewrite nth_error_snoc_lt by lia. rewrite nth_error_snoc_eq. auto. }
    destruct H as [->|H].
    + now apply hb_edge.
    + eapply hb_trans; [|exact E]. now apply hb_snoc_old.
Qed.
