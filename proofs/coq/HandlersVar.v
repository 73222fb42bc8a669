(** The handlers' part of the simulation that is about variables: under the discipline each access takes effect as its rule says. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors OnlineRules Handlers.

(** The thread is between locking x and unlocking it. *)
Definition crit (p : pc) (x : var) : bool :=
  match p with PM _ y _ | PN _ y _ _ | PU _ y _ _ => y =? x | _ => false end.

(** What a thread at p relies on: its own clock c, what the variables hold, and what the rules say they hold. *)
Definition pinv (c : vc) (V : var -> vmem) (A : var -> ost) (t : tid) (p : pc) : Prop :=
  match p with
  | PC _ _ e r => ele e c = true /\ ele r c = true
  | PM _ x e => e = mW (V x)
  | PN _ x e r => e = mW (V x) /\ r = mR (V x)
  | PU false x e _ => e = mW (V x)
  | PU true x e r => e = mW (V x) /\ r = oR (A x) /\ mR (V x) = oR (fst (o_wr c t (mkO e r)))
  | _ => True
  end.

Record VI (Cs : tid -> vc) (V : var -> vmem) (P : tid -> pc) (A : var -> ost) : Prop := {
  vi_K : forall x t, mK (V x) = Some t <-> crit (P t) x = true;
  vi_W : forall x, oW (A x) = mW (V x);
  (* R is what the rules say, except while a write has stored R and not yet W *)
  vi_R : forall x, (forall t e r, P t <> PU true x e r) -> mR (V x) = oR (A x);
  vi_P : forall t, pinv (Cs t) V A t (P t) }.

(** Steps that touch no variable. *)
Lemma VI_frame Cs V P A Cs' P' : VI Cs V P A ->
  (forall v, (P' v = P v /\ (pvar (P v) <> None -> Cs' v = Cs v)) \/
             (pvar (P v) = None /\ (pvar (P' v) = None \/ exists w x, P' v = PA w x))) ->
  VI Cs' V P' A.
Proof.
  intros [K W R Pi] H.
  assert (Cr : forall v x, crit (P' v) x = crit (P v) x).
  { intros v x. destruct (H v) as [[-> _]|[E [E'|(w & y & E')]]]; auto;
    [destruct (P v); try discriminate; destruct (P' v); try discriminate; reflexivity|].
    rewrite E'. destruct (P v); try discriminate; reflexivity. }
  constructor; auto.
  - intros x t. rewrite Cr. auto.
  - intros x Hn. apply R. intros t e r E. apply (Hn t e r). destruct (H t) as [[-> _]|[E' _]]; auto. rewrite E in E'. discriminate.
  - intros t. specialize (Pi t). destruct (H t) as [[-> Hc]|[E [E'|(w & y & E')]]].
    + destruct (pvar (P t)) eqn:Ev; [rewrite Hc by congruence; exact Pi|]. destruct (P t); try discriminate; exact I.
    + destruct (P' t); try discriminate; exact I.
    + rewrite E'. exact I.
Qed.

Lemma o_rd_W c t s : oW (fst (o_rd c t s)) = oW s.
Proof. unfold o_rd. destruct (read_same c t s); reflexivity. Qed.

(** A write in progress leaves R as it was or makes it none. *)
Lemma R_seen Cs V P A x : VI Cs V P A -> mR (V x) <> RE ebot -> mR (V x) = oR (A x).
Proof.
  intros I Hn. pose proof (vi_K _ _ _ _ I x) as K. destruct (mK (V x)) as [t|] eqn:E.
  - pose proof (vi_P _ _ _ _ I t) as Pi. destruct (P t) as [| | | | | | | |w y e r| | | | |] eqn:Ep;
    try (apply (vi_R _ _ _ _ I); intros v e0 r0 Ev; assert (Some t = Some v) as [= <-] by (apply K; rewrite Ev; simpl; apply Nat.eqb_refl); congruence).
    assert (Hx : crit (P t) x = true) by now apply K. rewrite Ep in Hx. simpl in Hx. apply Nat.eqb_eq in Hx. subst y.
    destruct w.
    + destruct Pi as (Ee & Er & Em). rewrite Em in *. unfold o_wr in *. simpl in *. destruct (eeq e (t, Cs t t)); simpl in *; auto.
      destruct r as [r|v]; simpl in *; auto. destruct (ele e (Cs t) && lle v (Cs t)); auto. congruence.
    + apply (vi_R _ _ _ _ I). intros v e0 r0 Ev. assert (Some t = Some v) as [= <-] by (apply K; rewrite Ev; simpl; apply Nat.eqb_refl). congruence.
  - apply (vi_R _ _ _ _ I). intros v e r Ev. assert (None = Some v) by (apply K; rewrite Ev; simpl; apply Nat.eqb_refl). discriminate.
Qed.

Definition effect (w : bool) (c : vc) (t : tid) (x : var) (A : var -> ost) : var -> ost := upd A x (fst (rule w c t (A x))).

(** What holds of u while t steps in x: nothing of u changes if u is elsewhere, and u is not inside if t is, or if nobody is. *)
Lemma pinv_other c V A u p x m' s' : (crit p x = false) -> pinv c V A u p -> pinv c (upd V x m') (upd A x s') u p.
Proof.
  intros Hc Hp. unfold upd. destruct p as [| |w y|w y e f|w y e r|w y|w y e|w y e r|w y e r| | | | |]; simpl in *; auto; rewrite Hc; auto.
Qed.

Section Facts.
Variables (Cs : tid -> vc) (V : var -> vmem) (P : tid -> pc) (A : var -> ost) (t : tid) (x : var).
Hypothesis I : VI Cs V P A.
Lemma only_me : crit (P t) x = true -> forall u, u <> t -> crit (P u) x = false.
Proof.
  intros H u Hu. destruct (crit (P u) x) eqn:E; auto. apply (vi_K _ _ _ _ I) in H. apply (vi_K _ _ _ _ I) in E. congruence.
Qed.
Lemma nobody : mK (V x) = None -> forall u, crit (P u) x = false.
Proof. intros H u. destruct (crit (P u) x) eqn:E; auto. apply (vi_K _ _ _ _ I) in E. congruence. Qed.
Lemma R_free : mK (V x) = None -> mR (V x) = oR (A x).
Proof.
  intros H. apply (vi_R _ _ _ _ I). intros u e r E. pose proof (nobody H u) as N. rewrite E in N. simpl in N. rewrite Nat.eqb_refl in N. discriminate.
Qed.
Lemma R_mine : crit (P t) x = true -> (forall e r, P t <> PU true x e r) -> mR (V x) = oR (A x).
Proof.
  intros H Hn. apply (vi_R _ _ _ _ I). intros u e r E. destruct (Nat.eq_dec u t) as [->|Hu]; [now apply (Hn e r)|].
  pose proof (only_me H u Hu) as N. rewrite E in N. simpl in N. rewrite Nat.eqb_refl in N. discriminate.
Qed.
End Facts.
Arguments only_me {Cs V P A t x} I. Arguments nobody {Cs V P A x} I. Arguments R_free {Cs V P A x} I. Arguments R_mine {Cs V P A t x} I.

Section Step.
Variables (ver : version) (Cs : tid -> vc) (V : var -> vmem) (P : tid -> pc) (A : var -> ost).
Variables (t : tid) (w : bool) (x : var) (o : option bool) (m' : vmem) (p' : pc).
Hypothesis I : VI Cs V P A.
Hypothesis Hpos : 1 <= Cs t t.
Hypothesis Hv : pvar (P t) = Some (w, x).
Hypothesis St : acc_step ver (Cs t) t (V x) (P t) o m' p'.

Let A' := match o with Some _ => effect w (Cs t) t x A | None => A end.

Lemma A_eta s : mkO (oW s) (oR s) = s. Proof. now destruct s. Qed.

(** The verdict is the rule's. *)
Lemma step_verdict b : o = Some b -> b = snd (rule w (Cs t) t (A x)).
Proof.
  Ltac got := match goal with Q : Some _ = Some _ |- _ => injection Q as <- end.
  intros Ho. pose proof (vi_P _ _ _ _ I t) as Pi. pose proof (vi_W _ _ _ _ I x) as EW.
  inversion St as [w0 y Hver E|y Hver HK HW E|w0 y E|y e f Hver HR E|y e f v Hver HR Hg E|w0 y e r Hver HR He Hr E|w0 y e f E
    |w0 y e r HK HW HR E|w0 y e r E|w0 y HK E|w0 y e E|w0 y e r E|w0 y e r E]; subst; try discriminate;
  rewrite <- E in Hv, Pi; simpl in Hv; injection Hv as <- <-; simpl.
  - got. unfold o_wr. rewrite EW, HW. replace (eeq (t, Cs t t) (t, Cs t t)) with true by (symmetry; now apply eeq_true). reflexivity.
  - got. assert (HR' : oR (A y) = RE (t, Cs t t)).
    { rewrite <- HR. symmetry. apply (R_seen Cs V P A y I). rewrite HR. intros [= _ K]. lia. }
    unfold o_rd, read_same. rewrite HR'. replace (eeq (t, Cs t t) (t, Cs t t)) with true by (symmetry; now apply eeq_true). reflexivity.
  - got. assert (HR' : oR (A y) = RS v).
    { rewrite <- HR. symmetry. apply (R_seen Cs V P A y I). rewrite HR. discriminate. }
    unfold o_rd, read_same. rewrite HR', Hg, Nat.eqb_refl. reflexivity.
  - got. pose proof (R_free I HK) as HF. destruct Pi as [He Hr]. destruct w0; simpl.
    + unfold o_wr, reads_known. rewrite EW, <- HF, HR, He, Hr. destruct (eeq (mW (V y)) (t, Cs t t)); reflexivity.
    + unfold o_rd. rewrite EW, He. destruct (read_same (Cs t) t (A y)); reflexivity.
  - destruct w0; [discriminate|]. got. destruct Pi as [-> ->]. rewrite <- EW, (R_mine (t := t) I), A_eta; auto.
    + rewrite <- E. simpl. apply Nat.eqb_refl.
    + rewrite <- E. discriminate.
  - destruct w0; [|discriminate]. got. destruct Pi as (-> & -> & _). now rewrite <- EW, A_eta.
Qed.

Ltac silent f := match goal with Q : None = _ |- _ => let EQ := fresh "EQ" in pose proof (f (eq_sym Q)) as EQ; rewrite EQ in * end.
Ltac acts_by f := match goal with Q : Some ?b = _ |- _ => destruct (f b (eq_sym Q)) as [EA HA] end.
(** The invariant is kept. *)
Lemma step_VI : VI Cs (upd V x m') (upd P t p') A'.
Proof.
  pose proof (vi_P _ _ _ _ I t) as Pi. pose proof (vi_W _ _ _ _ I x) as EW. pose proof I as [K W R Pall].
  (* enough: lock, W, R and the thread's own facts, if nobody else is inside or the lock's facts are as before *)
  assert (G : (forall u, u <> t -> crit (P u) x = true -> m' = V x /\ A' x = A x) ->
              (mK m' = Some t <-> crit p' x = true) -> (forall u, u <> t -> (mK m' = Some u <-> crit (P u) x = true)) ->
              (forall y, y <> x -> crit p' y = crit (P t) y) ->
              oW (A' x) = mW m' ->
              ((forall u e r, upd P t p' u <> PU true x e r) -> mR m' = oR (A' x)) ->
              pinv (Cs t) (upd V x m') A' t p' -> (forall y, y <> x -> A' y = A y) -> (forall y e r, p' = PU true y e r -> y = x) ->
              (forall y e r, P t = PU true y e r -> y = x) ->
              VI Cs (upd V x m') (upd P t p') A').
  { intros Inside L1 L2 L3 HW HR HP HA HU HU'. constructor.
    - intros y u. unfold upd. destruct (Nat.eqb_spec y x) as [->|Hy]; destruct (Nat.eqb_spec u t) as [->|Hu]; auto.
      rewrite (L3 y Hy). apply K.
    - intros y. unfold upd. destruct (Nat.eqb_spec y x) as [->|Hy]; auto. now rewrite HA.
    - intros y Hn. unfold upd at 1. destruct (Nat.eqb_spec y x) as [->|Hy]; [now apply HR|]. rewrite HA by auto. apply R.
      intros u e r E. destruct (Nat.eq_dec u t) as [->|Hu]; [apply Hy; eauto|]. apply (Hn u e r). unfold upd.
      destruct (Nat.eqb_spec u t); congruence.
    - intros u. unfold upd at 2. destruct (Nat.eqb_spec u t) as [->|Hu]; auto.
      destruct (crit (P u) x) eqn:Ec.
      + destruct (Inside u Hu Ec) as [-> EA]. specialize (Pall u). clear - Pall EA HA.
        assert (EV : forall y, upd V x (V x) y = V y) by (intros y; unfold upd; destruct (Nat.eqb_spec y x); subst; auto).
        assert (EA' : forall y, A' y = A y) by (intros y; destruct (Nat.eq_dec y x) as [->|]; auto).
        destruct (P u) as [| |w0 y|w0 y e f|w0 y e r|w0 y|w0 y e|w0 y e r|w0 y e r| | | | |]; simpl in *; rewrite ?EV, ?EA'; auto.
      + assert (Q : pinv (Cs u) (upd V x m') (upd A x (A' x)) u (P u)) by (apply pinv_other; auto).
        assert (EA' : forall y, A' y = upd A x (A' x) y) by (intros y; unfold upd; destruct (Nat.eqb_spec y x); subst; auto).
        clearbody A'. destruct (P u) as [| |w0 y|w0 y e f|w0 y e r|w0 y|w0 y e|w0 y e r|w0 y e r| | | | |]; auto. simpl in Q |- *.
        destruct w0; auto. now rewrite (EA' y). }
  (* a step that changes nothing but where the thread is, outside *)
  assert (Quiet : crit (P t) x = false -> (forall y, crit p' y = crit (P t) y) -> m' = V x -> A' x = A x -> (forall y, y <> x -> A' y = A y) ->
              pinv (Cs t) (upd V x m') A' t p' -> (forall y e r, p' <> PU true y e r) -> (forall y e r, P t <> PU true y e r) ->
              VI Cs (upd V x m') (upd P t p') A').
  { intros N Hp Em EA HA HP HU HU'. rewrite Em in *. apply G; [auto|rewrite Hp; apply K|intros u Hu; apply K|auto|now rewrite EA| |exact HP|exact HA| | ].
    - intros Hn. rewrite EA. apply R. intros u e r E. destruct (Nat.eq_dec u t) as [->|Hu]; [now apply (HU' x e r)|].
      apply (Hn u e r). unfold upd. destruct (Nat.eqb_spec u t); congruence.
    - intros y e r E. now elim (HU y e r).
    - intros y e r E. now elim (HU' y e r). }
  assert (Same : forall b, o = Some b -> fst (rule w (Cs t) t (A x)) = A x -> A' x = A x /\ (forall y, y <> x -> A' y = A y)).
  { intros b -> E. unfold A', effect. split; [unfold upd; now rewrite Nat.eqb_refl|]. intros y Hy. unfold upd. destruct (Nat.eqb_spec y x); congruence. }
  assert (Step : forall b, o = Some b -> A' x = fst (rule w (Cs t) t (A x)) /\ (forall y, y <> x -> A' y = A y)).
  { intros b ->. unfold A', effect. split; [unfold upd; now rewrite Nat.eqb_refl|]. intros y Hy. unfold upd. destruct (Nat.eqb_spec y x); congruence. }
  assert (None_ : o = None -> A' = A) by (intros ->; reflexivity).
  inversion St as [w0 y Hver E|y Hver HK HW E|w0 y E|y e f Hver HR E|y e f v Hver HR Hg E|w0 y e r Hver HR He Hr E|w0 y e f E
    |w0 y e r HK HW HR E|w0 y e r E|w0 y HK E|w0 y e E|w0 y e r E|w0 y e r E]; subst m' p';
  pose proof Hv as Hv'; rewrite <- E in Hv', Pi; simpl in Hv'; injection Hv' as <- <-.
  - (* look *) silent None_. apply Quiet; auto; rewrite <- ?E; simpl; auto; discriminate.
  - (* write same epoch *) match goal with Q : Some true = o |- _ => destruct (Same true (eq_sym Q)) as [EA HA] end.
    { simpl. unfold o_wr. rewrite EW, HW. replace (eeq (t, Cs t t) (t, Cs t t)) with true by (symmetry; now apply eeq_true). reflexivity. }
    apply Quiet; auto; rewrite <- ?E; simpl; auto; discriminate.
  - silent None_. apply Quiet; auto; rewrite <- ?E; simpl; auto; discriminate.
  - (* read same epoch *) match goal with Q : Some true = o |- _ => destruct (Same true (eq_sym Q)) as [EA HA] end.
    { assert (HR' : oR (A y) = RE (t, Cs t t)).
      { rewrite <- HR. symmetry. apply (R_seen Cs V P A y I). rewrite HR. intros [= _ Q]. lia. }
      simpl. unfold o_rd, read_same. rewrite HR'. replace (eeq (t, Cs t t) (t, Cs t t)) with true by (symmetry; now apply eeq_true). reflexivity. }
    apply Quiet; auto; rewrite <- ?E; simpl; auto; discriminate.
  - (* read shared same epoch *) match goal with Q : Some true = o |- _ => destruct (Same true (eq_sym Q)) as [EA HA] end.
    { assert (HR' : oR (A y) = RS v).
      { rewrite <- HR. symmetry. apply (R_seen Cs V P A y I). rewrite HR. discriminate. }
      simpl. unfold o_rd, read_same. rewrite HR', Hg, Nat.eqb_refl. reflexivity. }
    apply Quiet; auto; rewrite <- ?E; simpl; auto; discriminate.
  - silent None_. apply Quiet; auto; rewrite <- ?E; simpl; auto; discriminate.
  - silent None_. apply Quiet; auto; rewrite <- ?E; simpl; auto; discriminate.
  - (* replace both words *) acts_by Step. pose proof (nobody I HK) as No. pose proof (R_free I HK) as HF.
    destruct Pi as [He Hr]. assert (Er : oR (A y) = RE r) by congruence.
    assert (EW' : oW (A y) = e) by congruence.
    apply G; auto; rewrite <- ?E; simpl; auto; try discriminate.
    + intros u Hu Hc. rewrite No in Hc. discriminate.
    + destruct w0; simpl; split; discriminate.
    + intros u Hu. rewrite No. destruct w0; simpl; split; discriminate.
    + rewrite EA. destruct w0; simpl.
      * unfold o_wr. rewrite EW'. destruct (eeq e (t, Cs t t)) eqn:Eq; simpl; auto. apply eeq_true in Eq. now rewrite EW'.
      * now rewrite o_rd_W.
    + intros _. rewrite EA. destruct w0; simpl.
      * unfold o_wr. rewrite Er. destruct (eeq (oW (A y)) (t, Cs t t)); simpl; auto.
      * unfold o_rd, read_same. rewrite Er. destruct (eeq r (t, Cs t t)) eqn:Eq; simpl; [apply eeq_true in Eq; congruence|]. now rewrite Hr.
  - silent None_. apply Quiet; auto; rewrite <- ?E; simpl; auto; discriminate.
  - (* lock *) silent None_. pose proof (nobody I HK) as No. pose proof (R_free I HK) as HF.
    apply G; auto; rewrite <- ?E; simpl; auto; try discriminate.
    + intros u Hu Hc. rewrite No in Hc. discriminate.
    + rewrite Nat.eqb_refl. tauto.
    + intros u Hu. rewrite No. split; [intros [= Q]; congruence|discriminate].
    + intros z Hz. apply Nat.eqb_neq in Hz. now rewrite Nat.eqb_sym.
    + unfold upd. now rewrite Nat.eqb_refl.
  - (* load R *) silent None_.
    assert (Hc : crit (P t) y = true) by (rewrite <- E; simpl; apply Nat.eqb_refl). pose proof (only_me I Hc) as Me.
    apply G; auto; rewrite <- ?E; simpl; auto; try discriminate.
    + rewrite Nat.eqb_refl. rewrite (K y t). tauto.
    + intros _. apply (R_mine (t := t) I); auto. rewrite <- E. discriminate.
    + unfold upd. rewrite Nat.eqb_refl. auto.
  - (* store R *)
    assert (Hc : crit (P t) y = true) by (rewrite <- E; simpl; apply Nat.eqb_refl). pose proof (only_me I Hc) as Me.
    assert (HR : mR (V y) = oR (A y)) by (apply (R_mine (t := t) I); auto; rewrite <- E; discriminate).
    destruct Pi as [Pe Pr]. assert (ES : mkO e r = A y) by (rewrite Pe, Pr, <- EW, HR; apply A_eta).
    assert (LK : mK (V y) = Some t) by now apply K.
    destruct w0.
    + silent None_. apply G; auto; rewrite <- ?E; simpl; auto; try discriminate.
      * intros u Hu Hcu. rewrite Me in Hcu by auto. discriminate.
      * rewrite Nat.eqb_refl. tauto.
      * intros Hn. exfalso. apply (Hn t e r). unfold upd. now rewrite Nat.eqb_refl.
      * unfold upd. rewrite Nat.eqb_refl. simpl. repeat split; auto. congruence.
      * intros z e0 r0 [=]. auto.
    + acts_by Step. apply G; auto; rewrite <- ?E; simpl; auto; try discriminate.
      * intros u Hu Hcu. rewrite Me in Hcu by auto. discriminate.
      * rewrite Nat.eqb_refl. tauto.
      * rewrite EA. simpl. now rewrite o_rd_W.
      * intros _. rewrite EA, <- ES. reflexivity.
      * unfold upd. rewrite Nat.eqb_refl. auto.
  - (* store W, unlock *)
    assert (Hc : crit (P t) y = true) by (rewrite <- E; simpl; apply Nat.eqb_refl). pose proof (only_me I Hc) as Me.
    destruct w0.
    + acts_by Step. destruct Pi as (Pe & Pr & Pm).
      assert (ES : mkO e r = A y) by (rewrite Pe, Pr, <- EW; apply A_eta).
      apply G; auto; rewrite <- ?E; simpl; auto; try discriminate.
      * intros u Hu Hcu. rewrite Me in Hcu by auto. discriminate.
      * split; discriminate.
      * intros u Hu. rewrite Me by auto. split; discriminate.
      * intros z Hz. apply Nat.eqb_neq in Hz. now rewrite Nat.eqb_sym.
      * rewrite EA, <- ES. reflexivity.
      * intros _. rewrite EA, <- ES. exact Pm.
      * intros z e0 r0 [=]. auto.
    + silent None_. apply G; auto; rewrite <- ?E; simpl; auto; try discriminate.
      * intros u Hu Hcu. rewrite Me in Hcu by auto. discriminate.
      * split; discriminate.
      * intros u Hu. rewrite Me by auto. split; discriminate.
      * intros z Hz. apply Nat.eqb_neq in Hz. now rewrite Nat.eqb_sym.
      * rewrite o_rd_W. simpl. congruence.
      * intros _. apply (R_mine (t := t) I); auto. rewrite <- E. discriminate.
Qed.
End Step.
