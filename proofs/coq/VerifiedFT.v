(** VerifiedFT (001, Figure 2): an epoch for the last write, an epoch or a vector for the reads. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors.

(** ** VerifiedFT (PPoPP'18, Figure 2) *)
Record vftS := mkV { vV : lvc; vR : rstate; vW : epoch }.

Definition vft_rd (c : vc) (t : tid) (s : vftS) : option vftS :=
  match vR s with
  | REpoch r =>
      if eeq r (t, c t) then Some s                                        (* Read Same Epoch *)
      else if ele (vW s) c then
        if ele r c then Some (mkV (vV s) (REpoch (t, c t)) (vW s))         (* Read Exclusive *)
        else Some (mkV (lset (lset [] (fst r) (snd r)) t (c t)) RShared (vW s)) (* Read Share *)
      else None                                                            (* Write-Read Race *)
  | RShared =>
      if lget (vV s) t =? c t then Some s                                  (* Read Shared Same Epoch *)
      else if ele (vW s) c then Some (mkV (lset (vV s) t (c t)) RShared (vW s)) (* Read Shared *)
      else None
  end.

Definition vft_wr (c : vc) (t : tid) (s : vftS) : option vftS :=
  if eeq (vW s) (t, c t) then Some s                                       (* Write Same Epoch *)
  else if ele (vW s) c then
    match vR s with
    | REpoch r => if ele r c then Some (mkV (vV s) (vR s) (t, c t)) else None (* Write Exclusive / Read-Write Race *)
    | RShared => if lle (vV s) c then Some (mkV (vV s) RShared (t, c t)) else None (* Write Shared / Shared-Write Race *)
    end
  else None.                                                               (* Write-Write Race *)

Definition vft_repR (s : vftS) : tid -> nat -> Prop :=
  match vR s with REpoch r => repE r | RShared => repV (vV s) end.

Program Definition VerifiedFT : detector := {|
  jinc := false; VS := vftS; v0 := mkV [] (REpoch ebot) ebot; rdv := vft_rd; wrv := vft_wr;
  repR := vft_repR; repW := fun s => repE (vW s) |}.
Next Obligation. unfold vft_repR, repE, ebot. simpl. split; intros [? [=]]; lia. Qed.
Next Obligation.
  unfold vft_rd in *; cases; eauto using ele_false.
Qed.
Next Obligation.
  unfold vft_rd, vft_repR in *. destruct s as [V R W]; simpl in *. destruct R as [r|]; cases; injection H0 as <-; simpl; killepoch.
  - left. split; auto. unfold repE. auto.
  - pose proof (ele_true _ _ E0) as H0. pose proof (ele_true _ _ E1) as H1. split5.
    + unfold repE; auto.
    + intros u k [Hk [= <- <-]]. auto.
    + auto.
  - pose proof (ele_true _ _ E0) as H0. destruct r as [ru rk]. unfold ele in E1. simpl in E1. apply Nat.leb_gt in E1.
    split5; unfold repV, repE.
    + rewrite lget_lset, Nat.eqb_refl. auto.
    + intros u k [Hk He]. rewrite !lget_lset in He. simpl in He. rewrite lget_nil in He. eqbp; try lia; auto.
    + intros u k [Hk [= -> ->]]. rewrite !lget_lset. simpl. rewrite Nat.eqb_refl.
      destruct (Nat.eqb_spec u t); auto.
  - left. split; auto. split; auto.
  - pose proof (ele_true _ _ E0) as H0. split5; unfold repV.
    + rewrite lget_lset, Nat.eqb_refl. auto.
    + intros u k [Hk He]. rewrite lget_lset in He. eqbp; auto.
    + intros u k [Hk He]. rewrite lget_lset. eqbp; auto.
Qed.
Next Obligation.
  unfold vft_wr, vft_repR in *. wcases s H0.
  - destruct (ele_false _ _ ER) as (u & k & ? & ?). eauto.
  - apply lle_false in EV as [u Hu]. exists u, (lget V u). unfold repV. split; [left|]; lia.
  - destruct (ele_false _ _ EW) as (u & k & ? & ?). eauto.
Qed.
Next Obligation.
  unfold vft_wr, vft_repR in *. wcases s H0; injection H0 as <-; simpl; killepoch.
  - left. split; auto. unfold repE; auto.
  - pose proof (ele_true _ _ EW) as H0. pose proof (ele_true _ _ ER) as H1. split4; auto.
    + intros u k [K|K]; auto.
    + unfold repE; auto.
    + intros u k [Hk [= <- <-]]; auto.
  - pose proof (ele_true _ _ EW) as H0. split4; auto.
    + intros u k [[Hk <-]|K]; auto.
    + unfold repE; auto.
    + intros u k [Hk [= <- <-]]; auto.
Qed.

