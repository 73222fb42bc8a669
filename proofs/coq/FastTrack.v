(** FastTrack (000, Figure 3): as VerifiedFT, but a write forgets shared reads. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VerifiedFT.

(** ** FastTrack (PLDI'09 as in Mansky et al., Figure 3): Write Shared forgets the reads *)
Definition ft_wr (c : vc) (t : tid) (s : vftS) : option vftS :=
  if eeq (vW s) (t, c t) then Some s
  else if ele (vW s) c then
    match vR s with
    | REpoch r => if ele r c then Some (mkV (vV s) (vR s) (t, c t)) else None
    | RShared => if lle (vV s) c then Some (mkV [] (REpoch ebot) (t, c t)) else None
    end
  else None.
(* FastTrack has no Read Shared Same Epoch rule *)
Definition ft_rd (c : vc) (t : tid) (s : vftS) : option vftS :=
  match vR s with
  | REpoch r => vft_rd c t s
  | RShared => if ele (vW s) c then Some (mkV (lset (vV s) t (c t)) RShared (vW s)) else None
  end.

Program Definition FastTrack : detector := {|
  jinc := true; VS := vftS; v0 := mkV [] (REpoch ebot) ebot; rdv := ft_rd; wrv := ft_wr;
  repR := vft_repR; repW := fun s => repE (vW s) |}.
Next Obligation. unfold vft_repR, repE, ebot. simpl. split; intros [? [=]]; lia. Qed.
Next Obligation.
  unfold ft_rd in *. destruct (vR s) eqn:E.
  - apply (o_rd_none VerifiedFT) in H0; auto.
  - cases. eauto using ele_false.
Qed.
Next Obligation.
  unfold ft_rd in *. destruct (vR s) eqn:E.
  - apply (o_rd_some VerifiedFT) in H0; auto.
  - cases. injection H0 as <-. unfold vft_repR. rewrite E. simpl. 
    pose proof (ele_true _ _ E0) as H0. split5; unfold repV.
    + rewrite lget_lset, Nat.eqb_refl. auto.
    + intros u k [Hk He]. rewrite lget_lset in He. eqbp; auto.
    + intros u k [Hk He]. rewrite lget_lset. eqbp; auto.
Qed.
Next Obligation.
  unfold ft_wr, vft_repR in *. wcases s H0.
  - destruct (ele_false _ _ ER) as (u & k & ? & ?). eauto.
  - apply lle_false in EV as [u Hu]. exists u, (lget V u). unfold repV. split; [left|]; lia.
  - destruct (ele_false _ _ EW) as (u & k & ? & ?). eauto.
Qed.
Next Obligation.
  unfold ft_wr, vft_repR in *. wcases s H0; injection H0 as <-; simpl; killepoch.
  - left. split; auto. unfold repE; auto.
  - pose proof (ele_true _ _ EW) as H0. pose proof (ele_true _ _ ER) as H1. split4; auto.
    + intros u k [K|K]; auto.
    + unfold repE; auto.
    + intros u k [Hk [= <- <-]]; auto.
  - pose proof (ele_true _ _ EW) as H0. split4; auto.
    + intros u k [[Hk <-]|K]; auto.
    + unfold repE; auto.
    + intros u k [Hk [= <- <-]]; auto.
    + intros u k [Hk [= <- <-]]; lia.
Qed.

