(** A generic precise-detector theorem: local obligations on a per-variable state imply
    "the detector flags x iff the trace has a race on x". *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks.

Record detector := {
  jinc : bool;
  VS : Type;
  v0 : VS;
  rdv : vc -> tid -> VS -> option VS;
  wrv : vc -> tid -> VS -> option VS;
  repR : VS -> tid -> nat -> Prop;   (* the state remembers a read of u at time k *)
  repW : VS -> tid -> nat -> Prop;   (* the state remembers a write of u at time k *)
  o_v0 : forall u k, ~ repR v0 u k /\ ~ repW v0 u k;
  o_rd_none : forall c t s, 1 <= c t -> rdv c t s = None -> exists u k, repW s u k /\ c u < k;
  o_rd_some : forall c t s s', 1 <= c t -> rdv c t s = Some s' ->
     (s' = s /\ repR s t (c t)) \/
     ((forall u k, repW s u k -> k <= c u) /\
      (forall u k, repW s' u k <-> repW s u k) /\
      repR s' t (c t) /\
      (forall u k, repR s' u k -> repR s u k \/ (u = t /\ k = c t)) /\
      (forall u k, repR s u k -> repR s' u k \/ u = t \/ k <= c u));
  o_wr_none : forall c t s, 1 <= c t -> wrv c t s = None -> exists u k, (repR s u k \/ repW s u k) /\ c u < k;
  o_wr_some : forall c t s s', 1 <= c t -> wrv c t s = Some s' ->
     (s' = s /\ repW s t (c t)) \/
     ((forall u k, repR s u k \/ repW s u k -> k <= c u) /\
      repW s' t (c t) /\
      (forall u k, repW s' u k -> repW s u k \/ (u = t /\ k = c t)) /\
      (forall u k, repR s' u k -> repR s u k))
}.

Section Generic.
Variable D : detector.
Notation clk := (clk (jinc D)).
Notation ts := (ts (jinc D)).

(** The detector as a step function on (clocks, per-variable state). [None] = already flagged. *)
Record dstate := mkD { dsync : sync; dvar : var -> option (VS D) }.
Definition d0 : dstate := mkD sync0 (fun _ => Some (v0 D)).
Definition dstep (s : dstate) (a : op) : dstate :=
  mkD (sync_step (jinc D) (dsync s) a)
    (match a with
     | Rd t x => upd (dvar s) x (match dvar s x with Some v => rdv D (C (dsync s) t) t v | None => None end)
     | Wr t x => upd (dvar s) x (match dvar s x with Some v => wrv D (C (dsync s) t) t v | None => None end)
     | _ => dvar s
     end).
Definition drun (tr : trace) : dstate := fold_left dstep tr d0.

Lemma drun_snoc tr a : drun (tr ++ [a]) = dstep (drun tr) a.
Proof. unfold drun. now rewrite fold_left_app. Qed.

Lemma drun_sync tr : dsync (drun tr) = clk tr.
Proof.
  induction tr as [|a tr IH] using rev_ind; [reflexivity|].
  rewrite drun_snoc, clk_snoc. simpl. now rewrite IH.
Qed.

Record VInv (tr : trace) (x : var) (s : VS D) : Prop := {
  vi_rf : forall i j a b, i < j -> nth_error tr i = Some a -> nth_error tr j = Some b -> conflict x a b -> hb tr i j;
  vi_Wb : forall u k, repW D s u k -> exists j, nth_error tr j = Some (Wr u x) /\ ts tr j = k;
  vi_Wa : forall i u, nth_error tr i = Some (Wr u x) ->
            exists j u', nth_error tr j = Some (Wr u' x) /\ repW D s u' (ts tr j) /\ hbeq tr i j;
  vi_Rb : forall u k, repR D s u k -> exists j, nth_error tr j = Some (Rd u x) /\ ts tr j = k;
  vi_Ra : forall i u, nth_error tr i = Some (Rd u x) ->
            (exists j u', nth_error tr j = Some (Rd u' x) /\ repR D s u' (ts tr j) /\ hbeq tr i j) \/
            (exists j u', nth_error tr j = Some (Wr u' x) /\ repW D s u' (ts tr j) /\ hbeq tr i j)
}.

Definition accesses (x : var) (a : op) : Prop :=
  match a with Rd _ y | Wr _ y => y = x | _ => False end.

(** transport of old facts along snoc *)
Ltac old H := 
  match type of H with nth_error ?tr ?i = Some _ =>
    let L := fresh "Hlt" in pose proof (nth_error_lt _ _ _ H) as L end.

Lemma VInv_other tr x s a : VInv tr x s -> ~ accesses x a -> VInv (tr ++ [a]) x s.
Proof.
  intros V Hx. destruct V as [rf Wb Wa Rb Ra].
  assert (K : forall i b, nth_error (tr ++ [a]) i = Some b -> accesses x b ->
              i < length tr /\ nth_error tr i = Some b).
  { intros i b H Ab. apply nth_error_snoc_inv in H as [H|[-> ->]]; [auto|contradiction]. }
  assert (P : forall i b, nth_error tr i = Some b -> nth_error (tr ++ [a]) i = Some b /\ ts (tr ++ [a]) i = ts tr i).
  { intros i b H. old H. rewrite nth_error_snoc_lt, ts_old by auto. auto. }
  constructor.
  - intros i j b c Hij Hb Hc Cf.
    assert (accesses x b /\ accesses x c) as [Ab Ac].
    { destruct b, c; simpl in *; tauto. }
    apply K in Hb as [Hl Hb]; auto. apply K in Hc as [Hl' Hc]; auto.
    apply hb_snoc_old; eauto.
  - intros u k H. apply Wb in H as (j & Hj & <-). exists j. now apply P.
  - intros i u H. apply K in H as [Hl H]; simpl; auto. apply Wa in H as (j & u' & Hj & Hr & Hh).
    pose proof (P _ _ Hj) as [Hj' Ej]. exists j, u'. rewrite Ej. old Hj. rewrite hbeq_snoc_old by auto. auto.
  - intros u k H. apply Rb in H as (j & Hj & <-). exists j. now apply P.
  - intros i u H. apply K in H as [Hl H]; simpl; auto.
    apply Ra in H as [(j & u' & Hj & Hr & Hh)|(j & u' & Hj & Hr & Hh)]; [left|right];
    pose proof (P _ _ Hj) as [Hj' Ej]; exists j, u'; rewrite Ej; old Hj; rewrite hbeq_snoc_old by auto; auto.
Qed.

(** checks against C_t decide knowledge *)
Lemma W_known tr x s t :
  Inv (jinc D) tr -> VInv tr x s -> (forall u k, repW D s u k -> k <= C (clk tr) t u) ->
  forall i u, nth_error tr i = Some (Wr u x) -> knowT tr t i.
Proof.
  intros I V H i u Hi. destruct (vi_Wa _ _ _ V _ _ Hi) as (j & u' & Hj & Hr & Hh).
  apply H in Hr. apply (inv_T _ _ I t j _ Hj) in Hr. eapply knowT_down; eauto.
Qed.

Lemma R_known tr x s t :
  Inv (jinc D) tr -> VInv tr x s -> (forall u k, repR D s u k \/ repW D s u k -> k <= C (clk tr) t u) ->
  forall i u, nth_error tr i = Some (Rd u x) -> knowT tr t i.
Proof.
  intros I V H i u Hi. destruct (vi_Ra _ _ _ V _ _ Hi) as [(j & u' & Hj & Hr & Hh)|(j & u' & Hj & Hr & Hh)].
  - pose proof (H _ _ (or_introl Hr)) as Hr'. apply (inv_T _ _ I t j _ Hj) in Hr'. eapply knowT_down; eauto.
  - pose proof (H _ _ (or_intror Hr)) as Hr'. apply (inv_T _ _ I t j _ Hj) in Hr'. eapply knowT_down; eauto.
Qed.

(** an access by t in its current epoch is known to no one else: so everything conflicting is known to t *)
Lemma same_epoch tr x s t j b :
  Inv (jinc D) tr -> VInv tr x s -> ~ joined tr t ->
  nth_error tr j = Some b -> thr b = t -> ts tr j = C (clk tr) t t ->
  forall i a, nth_error tr i = Some a -> conflict x a b \/ conflict x b a -> knowT tr t i.
Proof.
  intros I V Hj Hb Ht Hts i a Ha Hc.
  assert (Hc1 : conflict x a b /\ conflict x b a).
  { destruct a, b; simpl in *; tauto. }
  destruct (Nat.lt_trichotomy i j) as [Hij|[->|Hij]].
  - pose proof (vi_rf _ _ _ V _ _ _ _ Hij Ha Hb (proj1 Hc1)). exists j, b. repeat split; auto. now right.
  - exists j, b. repeat split; auto. now left.
  - pose proof (vi_rf _ _ _ V _ _ _ _ Hij Hb Ha (proj2 Hc1)) as Hh.
    destruct (Nat.eq_dec (thr a) t) as [<-|Hne]; [now apply knowT_own|].
    exfalso. assert (K : knowT tr (thr a) j).
    { exists i, a. repeat split; auto. now right. }
    apply (inv_T _ _ I _ _ _ Hb) in K. rewrite Ht in K.
    pose proof (inv_C _ _ I (thr a) t Hne Hj). lia.
Qed.

Lemma rf_snoc tr x s a :
  VInv tr x s -> (forall i b, nth_error tr i = Some b -> conflict x b a -> hb (tr ++ [a]) i (length tr)) ->
  forall i j b c, i < j -> nth_error (tr ++ [a]) i = Some b -> nth_error (tr ++ [a]) j = Some c -> conflict x b c -> hb (tr ++ [a]) i j.
Proof.
  intros V H i j b c Hij Hb Hc Cf.
  apply nth_error_snoc_inv in Hc as [[Hl Hc]|[-> ->]].
  - rewrite nth_error_snoc_lt in Hb by lia. apply hb_snoc_old; auto. eapply vi_rf; eauto.
  - rewrite nth_error_snoc_lt in Hb by lia. eauto.
Qed.

Lemma hb_new_of_know tr a i : knowT tr (thr a) i -> hb (tr ++ [a]) i (length tr).
Proof. intros. apply hb_new_char. auto. Qed.

Lemma VInv_read tr x t s s' :
  Inv (jinc D) tr -> ~ joined tr t -> VInv tr x s ->
  ((s' = s /\ repR D s t (C (clk tr) t t)) \/
     ((forall u k, repW D s u k -> k <= C (clk tr) t u) /\
      (forall u k, repW D s' u k <-> repW D s u k) /\
      repR D s' t (C (clk tr) t t) /\
      (forall u k, repR D s' u k -> repR D s u k \/ (u = t /\ k = C (clk tr) t t)) /\
      (forall u k, repR D s u k -> repR D s' u k \/ u = t \/ k <= C (clk tr) t u))) ->
  VInv (tr ++ [Rd t x]) x s'.
Proof.
  intros I Hj V Hs.
  assert (P : forall i b, nth_error tr i = Some b ->
     nth_error (tr ++ [Rd t x]) i = Some b /\ ts (tr ++ [Rd t x]) i = ts tr i).
  { intros i b H. old H. rewrite nth_error_snoc_lt, ts_old by auto. auto. }
  pose proof (nth_error_snoc_eq tr (Rd t x)) as Nn. pose proof (ts_new (jinc D) tr (Rd t x)) as Tn. simpl in Tn.
  destruct Hs as [[-> Hr]|(HW & EW & Rn & Rsub & Rdrop)].
  - (* same epoch *)
    destruct (vi_Rb _ _ _ V _ _ Hr) as (j & Hj' & Ej).
    assert (KW : forall i u, nth_error tr i = Some (Wr u x) -> knowT tr t i).
    { intros i u Hi. apply (same_epoch tr x s t j (Rd t x) I V Hj Hj' eq_refl Ej i _ Hi). simpl; auto. }
    constructor.
    + apply (rf_snoc tr x s); auto. intros i b Hb Cf. apply hb_new_of_know. simpl.
      destruct b; simpl in Cf; try tauto. destruct Cf; subst. eapply KW; eauto.
    + intros u k H. apply (vi_Wb _ _ _ V) in H as (i & Hi & <-). exists i. now apply P.
    + intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[_ E]]; [|discriminate].
      apply (vi_Wa _ _ _ V) in H as (i' & u' & Hi & Hri & Hh).
      pose proof (P _ _ Hi) as [Hi' Ei]. exists i', u'. rewrite Ei. old Hi. rewrite hbeq_snoc_old by auto. auto.
    + intros u k H. apply (vi_Rb _ _ _ V) in H as (i & Hi & <-). exists i. now apply P.
    + intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[-> E]].
      * apply (vi_Ra _ _ _ V) in H as [(i' & u' & Hi & Hri & Hh)|(i' & u' & Hi & Hri & Hh)]; [left|right];
        pose proof (P _ _ Hi) as [Hi' Ei]; exists i', u'; rewrite Ei; old Hi; rewrite hbeq_snoc_old by auto; auto.
      * left. exists (length tr), t. rewrite Tn. repeat split; auto. now left.
  - pose proof (W_known tr x s t I V HW) as KW.
    constructor.
    + apply (rf_snoc tr x s); auto. intros i b Hb Cf. apply hb_new_of_know. simpl.
      destruct b; simpl in Cf; try tauto. destruct Cf; subst. eapply KW; eauto.
    + intros u k H. apply EW in H. apply (vi_Wb _ _ _ V) in H as (i & Hi & <-). exists i. now apply P.
    + intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[_ E]]; [|discriminate].
      apply (vi_Wa _ _ _ V) in H as (i' & u' & Hi & Hri & Hh).
      pose proof (P _ _ Hi) as [Hi' Ei]. exists i', u'. rewrite Ei. old Hi. rewrite hbeq_snoc_old by auto.
      repeat split; auto. now apply EW.
    + intros u k H. apply Rsub in H as [H|[-> ->]].
      * apply (vi_Rb _ _ _ V) in H as (i & Hi & <-). exists i. now apply P.
      * exists (length tr). auto.
    + intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[-> E]].
      * apply (vi_Ra _ _ _ V) in H as [(i' & u' & Hi & Hri & Hh)|(i' & u' & Hi & Hri & Hh)].
        { left. pose proof (P _ _ Hi) as [Hi' Ei]. old Hi.
          destruct (Rdrop _ _ Hri) as [Hkeep|Hd].
          - exists i', u'. rewrite Ei. rewrite hbeq_snoc_old by auto. auto.
          - exists (length tr), t. rewrite Tn. repeat split; auto.
            right. assert (hb (tr ++ [Rd t x]) i' (length tr)).
            { apply hb_new_of_know; simpl. destruct Hd as [->|Hd].
              - apply knowT_own in Hi. exact Hi.
              - now apply (inv_T _ _ I t i' _ Hi). }
            destruct Hh as [->|Hh]; auto. eapply hb_transitive; eauto. apply hb_snoc_old; auto. }
        { right. pose proof (P _ _ Hi) as [Hi' Ei]. exists i', u'. rewrite Ei. old Hi. rewrite hbeq_snoc_old by auto.
          repeat split; auto. now apply EW. }
      * left. exists (length tr), t. rewrite Tn. repeat split; auto. now left.
Qed.

Lemma VInv_write tr x t s s' :
  Inv (jinc D) tr -> ~ joined tr t -> VInv tr x s ->
  ((s' = s /\ repW D s t (C (clk tr) t t)) \/
     ((forall u k, repR D s u k \/ repW D s u k -> k <= C (clk tr) t u) /\
      repW D s' t (C (clk tr) t t) /\
      (forall u k, repW D s' u k -> repW D s u k \/ (u = t /\ k = C (clk tr) t t)) /\
      (forall u k, repR D s' u k -> repR D s u k))) ->
  VInv (tr ++ [Wr t x]) x s'.
Proof.
  intros I Hj V Hs.
  assert (P : forall i b, nth_error tr i = Some b ->
     nth_error (tr ++ [Wr t x]) i = Some b /\ ts (tr ++ [Wr t x]) i = ts tr i).
  { intros i b H. old H. rewrite nth_error_snoc_lt, ts_old by auto. auto. }
  pose proof (nth_error_snoc_eq tr (Wr t x)) as Nn. pose proof (ts_new (jinc D) tr (Wr t x)) as Tn. simpl in Tn.
  assert (G : (forall i b, nth_error tr i = Some b -> accesses x b -> knowT tr t i) /\
              repW D s' t (C (clk tr) t t) /\
              (forall u k, repW D s' u k -> repW D s u k \/ (u = t /\ k = C (clk tr) t t)) /\
              (forall u k, repR D s' u k -> repR D s u k)).
  { destruct Hs as [[-> Hr]|(HK & Wn & Wsub & Rsub)].
    - destruct (vi_Wb _ _ _ V _ _ Hr) as (j & Hj' & Ej). repeat split; auto.
      intros i b Hb Ab. apply (same_epoch tr x s t j (Wr t x) I V Hj Hj' eq_refl Ej i _ Hb).
      destruct b; simpl in *; subst; auto.
    - repeat split; auto. intros i b Hb Ab. destruct b; simpl in Ab; try tauto; subst.
      + eapply R_known; eauto.
      + eapply W_known; eauto. }
  destruct G as (K & Wn & Wsub & Rsub).
  assert (N : forall i b, nth_error tr i = Some b -> accesses x b ->
     exists j u', nth_error (tr ++ [Wr t x]) j = Some (Wr u' x) /\ repW D s' u' (ts (tr ++ [Wr t x]) j) /\ hbeq (tr ++ [Wr t x]) i j).
  { intros i b Hb Ab. exists (length tr), t. rewrite Tn. repeat split; auto. right.
    apply hb_new_of_know. simpl. eauto. }
  constructor.
  - apply (rf_snoc tr x s); auto. intros i b Hb Cf. apply hb_new_of_know. simpl. eapply K; eauto.
    destruct b; simpl in *; try tauto.
  - intros u k H. apply Wsub in H as [H|[-> ->]].
    + apply (vi_Wb _ _ _ V) in H as (i & Hi & <-). exists i. now apply P.
    + exists (length tr). auto.
  - intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[-> E]].
    + apply (N _ _ H). simpl; auto.
    + exists (length tr), t. rewrite Tn. repeat split; auto. now left.
  - intros u k H. apply Rsub in H. apply (vi_Rb _ _ _ V) in H as (i & Hi & <-). exists i. now apply P.
  - intros i u H. apply nth_error_snoc_inv in H as [[Hl H]|[-> E]]; [|discriminate].
    right. apply (N _ _ H). simpl; auto.
Qed.

Lemma race_on_snoc tr a x : race_on tr x -> race_on (tr ++ [a]) x.
Proof.
  intros (j & i & b & c & Hij & Hb & Hc & Cf & Hh). pose proof (nth_error_lt _ _ _ Hc).
  exists j, i, b, c. rewrite !nth_error_snoc_lt by lia. repeat split; auto. now rewrite hb_snoc_old.
Qed.

Lemma not_known_race tr a x i b :
  nth_error tr i = Some b -> conflict x b a -> ~ knowT tr (thr a) i -> race_at (tr ++ [a]) x (length tr).
Proof.
  intros Hb Cf Hk. pose proof (nth_error_lt _ _ _ Hb).
  exists i, b, a. rewrite nth_error_snoc_lt, nth_error_snoc_eq by auto. repeat split; auto.
  rewrite hb_new_char. intros [K|K]; [auto|]. destruct b, a; simpl in *; tauto.
Qed.

Theorem detector_state_inv tr x :
  feasible tr ->
  match dvar (drun tr) x with
  | Some s => VInv tr x s
  | None => race_on tr x
  end.
Proof.
  intros F. induction F as [|tr a F IH [Hj Hok]].
  - simpl. constructor.
    + intros i j a b _ Ha. destruct i; discriminate.
    + intros u k H. exfalso. destruct (o_v0 D u k); tauto.
    + intros i u Ha. destruct i; discriminate.
    + intros u k H. exfalso. destruct (o_v0 D u k); tauto.
    + intros i u Ha. destruct i; discriminate.
  - pose proof (clocks_correct (jinc D) tr F) as I.
    rewrite drun_snoc. unfold dstep. rewrite drun_sync. cbn [dvar].
    destruct a as [t y|t y|t m|t m|t u|t u|t].
    + unfold upd. destruct (Nat.eqb_spec x y) as [<-|Hxy].
      * destruct (dvar (drun tr) x) as [s|]; [|now apply race_on_snoc].
        destruct (rdv D (C (clk tr) t) t s) as [s'|] eqn:E; [eapply VInv_read; eauto; apply (o_rd_some D _ _ _ _ (inv_pos _ _ I t) E)|].
        destruct (o_rd_none D _ _ _ (inv_pos _ _ I t) E) as (u & k & Hr & Hk).
        destruct (vi_Wb _ _ _ IH _ _ Hr) as (j & Hb & <-).
        exists (length tr). eapply not_known_race; eauto; [simpl; auto|].
        simpl. rewrite (inv_T _ _ I t j _ Hb). simpl. lia.
      * destruct (dvar (drun tr) x) as [s|]; [|now apply race_on_snoc].
        apply VInv_other; auto; simpl; congruence.
    + unfold upd. destruct (Nat.eqb_spec x y) as [<-|Hxy].
      * destruct (dvar (drun tr) x) as [s|]; [|now apply race_on_snoc].
        destruct (wrv D (C (clk tr) t) t s) as [s'|] eqn:E; [eapply VInv_write; eauto; apply (o_wr_some D _ _ _ _ (inv_pos _ _ I t) E)|].
        destruct (o_wr_none D _ _ _ (inv_pos _ _ I t) E) as (u & k & [Hr|Hr] & Hk);
        [destruct (vi_Rb _ _ _ IH _ _ Hr) as (j & Hb & <-)|destruct (vi_Wb _ _ _ IH _ _ Hr) as (j & Hb & <-)];
        exists (length tr); (eapply not_known_race; eauto; [simpl; auto|]);
        simpl; rewrite (inv_T _ _ I t j _ Hb); simpl; lia.
      * destruct (dvar (drun tr) x) as [s|]; [|now apply race_on_snoc].
        apply VInv_other; auto; simpl; congruence.
    + destruct (dvar (drun tr) x) as [s|]; [apply VInv_other; auto|now apply race_on_snoc].
    + destruct (dvar (drun tr) x) as [s|]; [apply VInv_other; auto|now apply race_on_snoc].
    + destruct (dvar (drun tr) x) as [s|]; [apply VInv_other; auto|now apply race_on_snoc].
    + destruct (dvar (drun tr) x) as [s|]; [apply VInv_other; auto|now apply race_on_snoc].
    + destruct (dvar (drun tr) x) as [s|]; [apply VInv_other; auto|now apply race_on_snoc].
Qed.

(** Precision, per variable: the detector flags x iff the trace has a race on x. *)
Theorem precise tr x : feasible tr -> (dvar (drun tr) x = None <-> race_on tr x).
Proof.
  intros F. pose proof (detector_state_inv tr x F) as H.
  destruct (dvar (drun tr) x) as [s|]; [|tauto].
  split; [discriminate|]. intros (j & i & a & b & Hij & Ha & Hb & Cf & Hh).
  exfalso. apply Hh. eapply vi_rf; eauto.
Qed.

Theorem sound_and_complete tr : feasible tr ->
  ((forall x, dvar (drun tr) x <> None) <-> race_free tr).
Proof.
  intros F. unfold race_free. split; intros H x.
  - rewrite <- precise by auto. auto.
  - rewrite precise by auto. auto.
Qed.

(** ... and it is flagged at the first access that completes a race. *)
Theorem first_race tr a x : feasible (tr ++ [a]) ->
  dvar (drun tr) x <> None ->
  (dvar (drun (tr ++ [a])) x = None <-> race_at (tr ++ [a]) x (length tr)).
Proof.
  intros F Hn. rewrite precise by auto.
  assert (Ft : feasible tr).
  { inversion F as [E|tr' a' Ft Ho E]; [destruct tr; discriminate|].
    apply app_inj_tail in E as [-> ->]. auto. }
  rewrite precise in Hn by auto. split.
  - intros (j & Hr). assert (j = length tr); [|subst; auto].
    destruct Hr as (i & b & c & Hij & Hb & Hc & Cf & Hh).
    apply nth_error_snoc_inv in Hc as [[Hl Hc]|[-> ->]]; [|auto].
    exfalso. apply Hn. exists j, i, b, c. rewrite nth_error_snoc_lt in Hb by lia.
    rewrite hb_snoc_old in Hh by auto. auto.
  - intros H. exists (length tr). auto.
Qed.

End Generic.
