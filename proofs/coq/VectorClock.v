(** VectorClock (000, Figure 2): two vectors a variable. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors.

(** ** VectorClock (Mansky et al., Figure 2), with the NoChange rules *)
Definition vcS := (lvc * lvc)%type.  (* R, W *)
Definition vc_rd (c : vc) (t : tid) (s : vcS) : option vcS :=
  let (R, W) := s in
  if lget R t =? c t then Some s
  else if lle W c then Some (lset R t (c t), W) else None.
Definition vc_wr (c : vc) (t : tid) (s : vcS) : option vcS :=
  let (R, W) := s in
  if lget W t =? c t then Some s
  else if lle W c && lle R c then Some (R, lset W t (c t)) else None.

Program Definition VectorClock : detector := {|
  jinc := true; VS := vcS; v0 := ([], []); rdv := vc_rd; wrv := vc_wr;
  repR := fun s => repV (fst s); repW := fun s => repV (snd s) |}.
Next Obligation. unfold repV. rewrite !lget_nil. lia. Qed.
Next Obligation.
  destruct s as [R W]; simpl in *. destruct (lget R t =? c t); [discriminate|].
  destruct (lle W c) eqn:E; [discriminate|].
  apply lle_false in E as [u Hu]. exists u, (lget W u). unfold repV. simpl. lia.
Qed.
Next Obligation.
  destruct s as [R W]; simpl in *. unfold repV. destruct (Nat.eqb_spec (lget R t) (c t)).
  - left. injection H0 as <-. auto.
  - destruct (lle W c) eqn:E; [|discriminate]. injection H0 as <-; simpl.
    right. rewrite lle_true in E. repeat split; intros; try tauto.
    + destruct H0 as [? <-]; auto.
    + rewrite lget_lset, Nat.eqb_refl; auto.
    + rewrite lget_lset in H0. eqbp; [right|left]; intuition lia.
    + rewrite lget_lset. eqbp; auto.
Qed.
Next Obligation.
  destruct s as [R W]; simpl in *. destruct (lget W t =? c t); [discriminate|].
  destruct (lle W c) eqn:E; [destruct (lle R c) eqn:E'; [discriminate|]|].
  - apply lle_false in E' as [u Hu]. exists u, (lget R u). unfold repV. simpl. split; [left|]; lia.
  - apply lle_false in E as [u Hu]. exists u, (lget W u). unfold repV. simpl. split; [right|]; lia.
Qed.
Next Obligation.
  destruct s as [R W]; simpl in *. unfold repV. destruct (Nat.eqb_spec (lget W t) (c t)).
  - left. injection H0 as <-. auto.
  - destruct (lle W c) eqn:EW; [|discriminate]. destruct (lle R c) eqn:ER; [|discriminate]. injection H0 as <-; simpl.
    right. rewrite lle_true in *. repeat split; intros; try tauto.
    + destruct H0 as [[? <-]|[? <-]]; auto.
    + rewrite lget_lset, Nat.eqb_refl; auto.
    + rewrite lget_lset in H0. eqbp; [right|left]; intuition lia.
Qed.

