(** Vectors and epochs as data: lists that are zero beyond their end, and the time of one thread. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks.

(** finite vectors, as the Rust Vec<u32> *)
Definition lvc := list nat.
Definition lget (v : lvc) (t : tid) : nat := nth t v 0.
Fixpoint lset (v : lvc) (t : tid) (c : nat) : lvc :=
  match t, v with
  | 0, [] => [c]
  | 0, _ :: r => c :: r
  | S t', [] => 0 :: lset [] t' c
  | S t', a :: r => a :: lset r t' c
  end.
Fixpoint lle_from (k : nat) (v : lvc) (c : vc) : bool :=
  match v with
  | [] => true
  | a :: r => (a <=? c k) && lle_from (S k) r c
  end.
Definition lle (v : lvc) (c : vc) := lle_from 0 v c.

Lemma lget_nil t : lget [] t = 0.
Proof. destruct t; reflexivity. Qed.

Lemma lget_lset v t c u : lget (lset v t c) u = if u =? t then c else lget v u.
Proof.
  unfold lget. revert v u. induction t as [|t IH]; intros [|a v] [|u]; simpl; auto;
  rewrite ?IH; try (destruct u; reflexivity).
Qed.

Lemma lle_from_true v : forall k c, lle_from k v c = true <-> forall u, lget v u <= c (k + u).
Proof.
  unfold lget. induction v as [|a v IH]; intros k c; simpl.
  - split; auto. intros _ [|u]; lia.
  - rewrite andb_true_iff, Nat.leb_le, IH. split.
    + intros [H1 H2] [|u]; [now rewrite Nat.add_0_r|].
      specialize (H2 u). now rewrite Nat.add_succ_r.
    + intros H. split; [specialize (H 0); now rewrite Nat.add_0_r in H|].
      intros u. specialize (H (S u)). now rewrite Nat.add_succ_r in H.
Qed.

Lemma lle_true v c : lle v c = true <-> forall u, lget v u <= c u.
Proof. unfold lle. rewrite lle_from_true. reflexivity. Qed.

Lemma lle_from_false v : forall k c, lle_from k v c = false -> exists u, c (k + u) < lget v u.
Proof.
  unfold lget. induction v as [|a v IH]; intros k c; simpl; [discriminate|].
  rewrite andb_false_iff. intros [H|H].
  - apply Nat.leb_gt in H. exists 0. now rewrite Nat.add_0_r.
  - apply IH in H as [u H]. exists (S u). now rewrite Nat.add_succ_r.
Qed.
Lemma lle_false v c : lle v c = false -> exists u, c u < lget v u.
Proof. intros H. now apply lle_from_false in H. Qed.

Definition repV (v : lvc) (u : tid) (k : nat) : Prop := 0 < k /\ lget v u = k.

Ltac cases := repeat match goal with
  | H : context [if ?b then _ else _] |- _ => let E := fresh "E" in destruct b eqn:E
  | H : context [match ?b with _ => _ end] |- _ => let E := fresh "E" in destruct b eqn:E
  end; try discriminate.

Ltac eqbp := repeat match goal with
  | H : context [?a =? ?b] |- _ => destruct (Nat.eqb_spec a b); subst
  | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst end.

(** ** Epochs *)
Definition epoch := (tid * nat)%type.
Definition ele (e : epoch) (c : vc) : bool := snd e <=? c (fst e).
Definition eeq (a b : epoch) : bool := (fst a =? fst b) && (snd a =? snd b).
Definition repE (e : epoch) (u : tid) (k : nat) : Prop := 0 < k /\ e = (u, k).
Definition ebot : epoch := (0, 0).

Lemma eeq_true a b : eeq a b = true <-> a = b.
Proof.
  unfold eeq. rewrite andb_true_iff, !Nat.eqb_eq. destruct a, b; simpl. split; [intros [-> ->]|injection 1]; auto.
Qed.

Inductive rstate := REpoch (e : epoch) | RShared.

Lemma ele_true e c : ele e c = true -> forall u k, repE e u k -> k <= c u.
Proof. unfold ele, repE. intros H u k [_ ->]. simpl in H. now apply Nat.leb_le. Qed.
Lemma ele_false e c : ele e c = false -> exists u k, repE e u k /\ c u < k.
Proof. unfold ele, repE. intros H. apply Nat.leb_gt in H. destruct e as [u k]. simpl in H. exists u, k. repeat split; lia. Qed.

(** ** Tactics of the files on the detectors *)
Ltac killepoch := repeat match goal with
  | H : eeq _ _ = true |- _ => apply eeq_true in H; subst
  | H : (_ =? _) = true |- _ => apply Nat.eqb_eq in H
  | H : lle _ _ = true |- _ => rewrite lle_true in H
  end.

Ltac wcases s H :=
  let V := fresh "V" in let R := fresh "R" in let W := fresh "W" in
  destruct s as [V R W]; simpl in *;
  let EE := fresh "EE" in let EW := fresh "EW" in let ER := fresh "ER" in let EV := fresh "EV" in
  destruct (eeq W _) eqn:EE; [|destruct (ele W _) eqn:EW; [destruct R as [r|]; [destruct (ele r _) eqn:ER|destruct (lle V _) eqn:EV]|]];
  try discriminate.
Ltac split5 := refine (or_intror (conj _ (conj _ (conj _ (conj _ _)))));
  [ auto | intros; tauto | | | ].
Ltac split4 := refine (or_intror (conj _ (conj _ (conj _ _)))).
