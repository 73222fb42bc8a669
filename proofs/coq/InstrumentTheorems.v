(** The instrumentation is sound and complete (000, Section 5.2): Definitions 5 and 6, the simulation of Figure 12, Theorems 4 and 5. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VectorClock VectorClockRules Lang Instrument BiggerSteps Reordering.

(** ** VectorClock without its NoChange rules, which the instrumentation does not have *)

Definition vc_next (s : vcstate) (a : op) : vcstate :=
  match a with
  | Rd t x => mkVC (vcS_ s) (upd (vcR s) x (upd (vcR s x) t (C (vcS_ s) t t))) (vcW s)
  | Wr t x => mkVC (vcS_ s) (vcR s) (upd (vcW s) x (upd (vcW s x) t (C (vcS_ s) t t)))
  | _ => mkVC (sync_step true (vcS_ s) a) (vcR s) (vcW s)
  end.
Definition vc_allows (s : vcstate) (a : op) : Prop :=
  match a with
  | Rd t x => vle (vcW s x) (C (vcS_ s) t)
  | Wr t x => vle (vcR s x) (C (vcS_ s) t) /\ vle (vcW s x) (C (vcS_ s) t)
  | _ => True
  end.
(** Some entry is not known. *)
Definition vc_races (s : vcstate) (a : op) : Prop :=
  match a with
  | Rd t x => exists o, C (vcS_ s) t o < vcW s x o
  | Wr t x => exists o, C (vcS_ s) t o < vcW s x o \/ C (vcS_ s) t o < vcR s x o
  | _ => False
  end.
Definition vc_plain (s : vcstate) (a : op) (s' : vcstate) : Prop := vc_allows s a /\ s' = vc_next s a.

Lemma plain_vc s a s' : vc_plain s a s' -> vc_step true s a s'.
Proof. intros [H ->]. destruct s as [y R W]. destruct a; simpl in *; try constructor; try apply H. Qed.
Lemma plain_runs_vc tr s : runs vc_plain vc_init tr s -> runs (vc_step true) vc_init tr s.
Proof. induction 1; [constructor|]. eapply runs_snoc; eauto. now apply plain_vc. Qed.

Lemma plain_race tr s a : feasible tr -> runs vc_plain vc_init tr s -> vc_races s a -> exists x, race_at (tr ++ [a]) x (length tr).
Proof.
  intros F R Hr. destruct (vc_runs_drun true tr s (plain_runs_vc _ _ R)) as [Es Hx].
  pose proof (clocks_correct true tr F) as I.
  assert (K : forall x t u (w : bool), C (vcS_ s) t u < (if w then vcW s x u else vcR s x u) ->
    exists j, nth_error tr j = Some (if w then Wr u x else Rd u x) /\ ~ knowT tr t j).
  { intros x t u w Hlt. rewrite Es in Hlt. remember (if w then vcW s x u else vcR s x u) as k eqn:Ek. assert (Hk : 0 < k) by lia. pose proof (detector_state_inv (VCj true) tr x F) as V.
    destruct (Hx x) as (r & wv & E & Hr' & Hw'). rewrite E in V. destruct w.
    - destruct (vi_Wb _ _ _ _ V u k) as (j & Hj & Ej); [split; [auto|simpl; rewrite Hw'; auto]|]. exists j. split; auto.
      rewrite (inv_T _ _ I t j _ Hj). cbn [thr]. change (ts true tr j = k) in Ej. lia.
    - destruct (vi_Rb _ _ _ _ V u k) as (j & Hj & Ej); [split; [auto|simpl; rewrite Hr'; auto]|]. exists j. split; auto.
      rewrite (inv_T _ _ I t j _ Hj). cbn [thr]. change (ts true tr j = k) in Ej. lia. }
  destruct a as [t x|t x|t l|t l|t u|t u|t]; simpl in Hr; try contradiction; exists x.
  - destruct Hr as [o Ho]. destruct (K x t o true Ho) as (j & Hj & Nk). eapply not_known_race; eauto. simpl. auto.
  - destruct Hr as [o [Ho|Ho]].
    + destruct (K x t o true Ho) as (j & Hj & Nk). eapply not_known_race; eauto. simpl. auto.
    + destruct (K x t o false Ho) as (j & Hj & Nk). eapply not_known_race; eauto. simpl. auto.
Qed.

Lemma race_on_app tr l x : race_on tr x -> race_on (tr ++ l) x.
Proof. revert tr. induction l as [|a l IH]; intros tr H; [now rewrite app_nil_r|]. replace (tr ++ a :: l) with ((tr ++ [a]) ++ l) by now rewrite <- app_assoc.
  apply IH. now apply race_on_snoc. Qed.

(** ** Definitions 5 and 6 *)

(** Memories that agree on what is not metadata. *)
Definition msim (m m' : mem) : Prop := (forall x, m (Var x) = m' (Var x)) /\ (forall l, m (Lk l) = m' (Lk l)).

(** Two states of the program, whose environments differ at most in the temporaries. *)
Definition bsim (P : pool) (m : mem) (P' : pool) (m' : mem) : Prop := msim m m' /\
  forall v, match P v, P' v with
  | Some (li, G), Some (li', G') => li' = li /\ eqU G G'
  | None, None => True
  | _, _ => False
  end.

Section Theorems.
Variable Z : nat.
Notation inss := (inss Z).
Notation src := (src Z).
Notation sect := (sect Z).
Notation big := (big Z).
Notation bigs := (bigs Z).
Notation WF := (WF Z).
Notation suffix := (suffix Z).

(** Memory encodes the state of VectorClock, for the threads that there are. *)
Record enc (m : mem) (s : vcstate) : Prop := {
  enc_C : forall t o, t < Z -> m (MC t o) = C (vcS_ s) t o;
  enc_L : forall l o, m (ML l o) = L (vcS_ s) l o;
  enc_R : forall x o, m (MR x o) = vcR s x o;
  enc_W : forall x o, m (MW x o) = vcW s x o }.

(** A state of the program and one of the instrumented program. *)
Definition sim (P : pool) (m : mem) (P' : pool) (m' : mem) : Prop := psim Z P P' /\ msim m m'.

(** ** Figure 12 *)

(** *** Metadata *)
Ltac inj := match goal with H : ?f _ _ = ?f _ _ |- _ => injection H as -> -> end.

Lemma sect_enc P t G m i G' m' s : WF P m -> t < Z -> src i -> apart t i -> sect t G m i (Some (G', m')) -> enc m s ->
  match lab t i with Some a => vc_allows s a /\ enc m' (vc_next s a) | None => enc m' s end.
Proof.
  intros W Ht Hs Ha Se E. pose proof (wf_low _ _ _ W) as Low. destruct E as [EC EL ER EW].
  assert (Le : forall x, (forall o, o < Z -> m (MW x o) <= m (MC t o)) -> vle (vcW s x) (C (vcS_ s) t)).
  { intros x H o. rewrite <- EW, <- EC by auto. destruct (Nat.lt_ge_cases o Z) as [Ho|Ho]; auto. destruct (Low o Ho) as (_ & _ & H3). destruct (H3 x). lia. }
  assert (LeR : forall x, (forall o, o < Z -> m (MR x o) <= m (MC t o)) -> vle (vcR s x) (C (vcS_ s) t)).
  { intros x H o. rewrite <- ER, <- EC by auto. destruct (Nat.lt_ge_cases o Z) as [Ho|Ho]; auto. destruct (Low o Ho) as (_ & _ & H3). destruct (H3 x). lia. }
  assert (Mx : forall v u o, v < Z -> u < Z -> Z <= o -> m (MC v o) = Nat.max (m (MC u o)) (m (MC v o))).
  { intros v u o Hv Hu Ho. destruct (Low o Ho) as (H1 & _). rewrite !H1; auto. }
  assert (Ml : forall l o, Z <= o -> m (ML l o) = m (MC t o)) by (intros l o Ho; destruct (Low o Ho) as (H1 & H2 & _); rewrite H1, H2; auto).
  inversion Se as [a e Ga ma HG HM|a x Ga ma HX HW HG HM| |e x Ga ma HX HW HR HG HM| |l Ga ma HX HG HM|l Ga ma HX HG HM|u li Ga ma HG HM|u Ga ma HG HM|e1 e2 Ga ma He HG HM|]; subst; simpl lab; cbv beta iota.
  - constructor; intros; rewrite <- HM; auto.
  - split; [now apply Le|]. constructor; intros; rewrite <- HM; simpl; unfold setm, upd; try (destruct (loc_dec _ _); [discriminate|]; auto; fail).
    destruct (loc_dec (MR x0 o) (MR x t)) as [E|E].
    + inj. rewrite !Nat.eqb_refl. auto.
    + destruct (Nat.eqb_spec x0 x) as [->|]; auto. destruct (Nat.eqb_spec o t) as [->|]; auto. congruence.
  - split; [split; [now apply LeR|now apply Le]|].
    constructor; intros; rewrite <- HM; simpl; unfold setm, upd; repeat (destruct (loc_dec _ _) as [?E|?E]; [try discriminate|]; auto).
    + inj. rewrite !Nat.eqb_refl. auto.
    + destruct (Nat.eqb_spec x0 x) as [->|]; auto. destruct (Nat.eqb_spec o t) as [->|]; auto. congruence.
  - split; [exact I|]. constructor; intros; rewrite <- HM; simpl; try (rewrite setm_other by discriminate; auto; fail). unfold upd, vjoin.
    destruct (Nat.eqb_spec t0 t) as [->|]; simpl; [|rewrite setm_other by discriminate; apply EC; auto]. rewrite <- EC, <- EL by auto.
    destruct (Nat.ltb_spec o Z); [apply Nat.max_comm|]. rewrite setm_other by discriminate. rewrite Ml by auto. lia.
  - split; [exact I|]. constructor; intros; rewrite <- HM; simpl; unfold setm, setL; repeat (destruct (loc_dec _ _) as [?E|?E]; [try discriminate|]); auto.
    + inj. unfold upd, vinc, upd. rewrite !Nat.eqb_refl. rewrite <- EC; auto.
    + unfold upd, vinc, upd. destruct (Nat.eqb_spec t0 t) as [->|]; auto. destruct (Nat.eqb_spec o t) as [->|]; auto; congruence.
    + unfold upd. destruct (Nat.eqb_spec l0 l) as [->|]; simpl; auto. destruct (Nat.ltb_spec o Z); auto. rewrite Ml; auto.
  - split; [exact I|]. simpl in Ha. destruct Hs as [Hu _].
    constructor; intros; rewrite <- HM; simpl; unfold setm, setC; repeat (destruct (loc_dec _ _) as [?E|?E]; [try discriminate|]); auto.
    + inj. rewrite upd_same. unfold vinc. rewrite upd_same, EC; auto.
    + destruct (Nat.eq_dec t0 t) as [->|Hn].
      * rewrite upd_same. unfold vinc, upd. assert (Eu : (t =? u) = false) by now apply Nat.eqb_neq. rewrite Eu. simpl.
        destruct (Nat.eqb_spec o t) as [->|]; auto. congruence.
      * rewrite (upd_other _ t) by auto. unfold upd, vjoin. destruct (Nat.eqb_spec t0 u) as [->|]; simpl; auto. rewrite <- !EC by auto.
        destruct (Nat.ltb_spec o Z); [apply Nat.max_comm|]. rewrite Nat.max_comm. auto.
  - split; [exact I|]. simpl in Ha, Hs.
    constructor; intros; rewrite <- HM; simpl; unfold setm, setC; repeat (destruct (loc_dec _ _) as [?E|?E]; [try discriminate|]); auto.
    + inj. rewrite upd_same. unfold vinc. rewrite upd_same, upd_other, EC; auto.
    + destruct (Nat.eq_dec t0 u) as [->|Hn].
      * rewrite upd_same. unfold vinc. rewrite upd_other by congruence. rewrite upd_other by auto.
        assert (Eu : (u =? t) = false) by (apply Nat.eqb_neq; auto). rewrite Eu. simpl. auto.
      * rewrite (upd_other _ u) by auto. unfold upd, vjoin. destruct (Nat.eqb_spec t0 t) as [->|]; simpl; auto. rewrite <- !EC by auto.
        destruct (Nat.ltb_spec o Z); [apply Nat.max_comm|]. rewrite Nat.max_comm. auto.
  - constructor; intros; rewrite <- HM; auto.
Qed.

Lemma sect_enc_err t G m i s : t < Z -> sect t G m i None -> enc m s ->
  (exists a, lab t i = Some a /\ vc_races s a) \/ (exists e1 e2, i = Assert e1 e2 /\ eval G e2 < eval G e1).
Proof.
  intros Ht Se E. inversion Se as [| |a x HX (o & Ho & HW)| |e x HX (o & Ho & HW)| | | | | |e1 e2 He]; subst; simpl; [| |right; eauto];
  left; eexists; (split; [reflexivity|]); exists o;
  rewrite <- !(enc_C _ _ E) by auto; rewrite <- !(enc_W _ _ E), <- ?(enc_R _ _ E); auto.
Qed.

(** *** The program's own state *)
Lemma sect_base t G m i G' m' Gb mb : src i -> sect t G m i (Some (G', m')) -> eqU Gb G -> msim mb m ->
  exists Gb' mb', exec t i Gb mb = Ok Gb' mb' /\ eqU Gb' G' /\ msim mb' m'.
Proof.
  intros Hs Se Eu [Mv Ml].
  inversion Se as [a e Ga ma HG HM|a x Ga ma HX HW HG HM| |e x Ga ma HX HW HR HG HM| |l Ga ma HX HG HM|l Ga ma HX HG HM|u li Ga ma HG HM|u Ga ma HG HM|e1 e2 Ga ma He HG HM|]; subst; simpl.
  - eexists; eexists. split; [reflexivity|]. split; [|split; intros; rewrite <- HM; auto]. destruct a; try contradiction.
    rewrite (eqU_eval _ _ _ Eu Hs). eapply eqU_trans; [apply eqU_set; exact Eu|exact HG].
  - eexists; eexists. split; [reflexivity|]. split; [|split; intros; rewrite <- HM, setm_other by discriminate; auto]. rewrite Mv.
    eapply eqU_trans; [apply eqU_set; exact Eu|exact HG].
  - eexists; eexists. split; [reflexivity|]. split; [eapply eqU_trans; eauto|]. rewrite (eqU_eval _ _ _ Eu Hs).
    split; intros k; rewrite <- HM; unfold setm; repeat (destruct (loc_dec _ _); try discriminate; auto).
  - rewrite Ml, HX. simpl. eexists; eexists. split; [reflexivity|]. split; [eapply eqU_trans; eauto|].
    split; intros k; rewrite <- HM; simpl; unfold setm; destruct (loc_dec _ _); try discriminate; auto.
  - rewrite Ml, HX, Nat.eqb_refl. eexists; eexists. split; [reflexivity|]. split; [eapply eqU_trans; eauto|].
    split; intros k; rewrite <- HM; unfold setm, setL; repeat (destruct (loc_dec _ _); try discriminate; auto).
  - eexists; eexists. split; [reflexivity|]. split; [eapply eqU_trans; eauto|]. split; intros k; rewrite <- HM, setm_other by discriminate; simpl; auto.
  - eexists; eexists. split; [reflexivity|]. split; [eapply eqU_trans; eauto|]. split; intros k; rewrite <- HM, setm_other by discriminate; simpl; auto.
  - destruct Hs as [U1 U2]. rewrite (eqU_eval _ _ _ Eu U1), (eqU_eval _ _ _ Eu U2). apply Nat.leb_le in He. rewrite He.
    eexists; eexists. split; [reflexivity|]. split; [eapply eqU_trans; eauto|]. split; intros k; rewrite <- HM; auto.
Qed.

Lemma base_sect P t G m i Gb mb Gb' mb' : WF P m -> src i -> eqU Gb G -> msim mb m -> exec t i Gb mb = Ok Gb' mb' ->
  (exists G' m', sect t G m i (Some (G', m'))) \/ sect t G m i None.
Proof.
  intros W Hs Eu [Mv Ml] E. destruct i as [a e|a q|e q|q|q|u li|u|e1 e2]; simpl in Hs; try contradiction.
  - left. eexists; eexists. apply B_Assign; [apply eqU_refl|intros p; reflexivity].
  - destruct a; try contradiction. destruct q as [x| | | | | |]; try contradiction. destruct (check_dec m (MW x) (MC t) (seq 0 Z)) as [HW|(o & Ho & HW)].
    + left. eexists; eexists. apply B_Load; [apply W| |apply eqU_refl|intros p; reflexivity]. intros o Ho. apply HW, in_seq0; auto.
    + right. apply B_LoadErr; [apply W|]. exists o. rewrite in_seq0 in Ho. auto.
  - destruct q as [x| | | | | |]; try contradiction. destruct (check_dec m (MW x) (MC t) (seq 0 Z)) as [HW|(o & Ho & HW)].
    + destruct (check_dec m (MR x) (MC t) (seq 0 Z)) as [HR|(o & Ho & HR)].
      * left. eexists; eexists. apply B_Store; [apply W| | |apply eqU_refl|intros p; reflexivity]; intros o Ho; [apply HW|apply HR]; apply in_seq0; auto.
      * right. apply B_StoreErr; [apply W|]. exists o. rewrite in_seq0 in Ho. auto.
    + right. apply B_StoreErr; [apply W|]. exists o. rewrite in_seq0 in Ho. auto.
  - destruct q as [|l| | | | |]; try contradiction. simpl in E. destruct (Nat.eqb_spec (mb (Lk l)) 0); [|discriminate].
    left. eexists; eexists. apply B_Lock; [rewrite <- Ml; auto|apply eqU_refl|intros p; reflexivity].
  - destruct q as [|l| | | | |]; try contradiction. simpl in E. destruct (Nat.eqb_spec (mb (Lk l)) (S t)); [|discriminate].
    left. eexists; eexists. apply B_Unlock; [rewrite <- Ml; auto|apply eqU_refl|intros p; reflexivity].
  - left. eexists; eexists. apply B_Spawn; [apply eqU_refl|intros p; reflexivity].
  - left. eexists; eexists. apply B_Wait; [apply eqU_refl|intros p; reflexivity].
  - left. destruct Hs as [U1 U2]. simpl in E. rewrite (eqU_eval _ _ _ Eu U1), (eqU_eval _ _ _ Eu U2) in E.
    destruct (Nat.leb_spec (eval G e1) (eval G e2)); [|discriminate]. eexists; eexists. apply B_Assert; [auto|apply eqU_refl|intros p; reflexivity].
Qed.

Lemma bsim_code Pb mb P m t i r G : bsim Pb mb P m -> P t = Some (i :: r, G) -> exists Gb, Pb t = Some (i :: r, Gb) /\ eqU Gb G.
Proof. intros [_ H] Hp. specialize (H t). rewrite Hp in H. destruct (Pb t) as [[li Gb]|]; [|contradiction]. destruct H as [<- H]. eauto. Qed.
Lemma bsim_code' Pb mb P m t i r Gb : bsim Pb mb P m -> Pb t = Some (i :: r, Gb) -> exists G, P t = Some (i :: r, G) /\ eqU Gb G.
Proof. intros [_ H] Hp. specialize (H t). rewrite Hp in H. destruct (P t) as [[li G]|]; [|contradiction]. destruct H as [-> H]. eauto. Qed.
Lemma bsim_suffix Pb mb P m Pc : bsim Pb mb P m -> suffix P Pc -> suffix Pb Pc.
Proof.
  intros [_ B] S v. specialize (B v). specialize (S v). destruct (Pb v) as [[lb Gb]|], (P v) as [[l G]|]; try contradiction; auto.
  destruct B as [-> _]. exact S.
Qed.
Lemma bsim_pool Pb mb P m i : bsim Pb mb P m -> (pool_ok Pb i <-> pool_ok P i).
Proof.
  intros [_ H]. destruct i; simpl; try tauto; specialize (H u).
  - destruct (Pb u) as [[? ?]|], (P u) as [[? ?]|]; try tauto; split; discriminate.
  - destruct (Pb u) as [[lb Gb]|], (P u) as [[lp Gp]|]; try contradiction.
    + destruct H as [-> _]. split; intros [G' E]; injection E as -> _; eauto.
    + split; intros [G' E]; discriminate.
Qed.
Lemma bsim_after Pb mb P m t i r Gb' mb' G' m' : bsim Pb mb P m -> eqU Gb' G' -> msim mb' m' ->
  bsim (after Pb t i r Gb') mb' (after P t i r G') m'.
Proof.
  intros [_ H] Eu M. split; auto. intros v. specialize (H v).
  destruct i; simpl; unfold upd; repeat (destruct (_ =? _); auto using eqU_refl).
Qed.

Lemma pool_apart P t i r G : P t = Some (i :: r, G) -> pool_ok P i -> apart t i.
Proof. intros Hp Ho. destruct i; simpl in *; auto; intros ->; [congruence|]. destruct Ho. congruence. Qed.

(** Bigger steps are steps of the program and of VectorClock; where they fail, so does an assertion of the program, or its step is one on which VectorClock is stuck. *)
Lemma figure_12_forward Pb mb P m s t R : bsim Pb mb P m -> enc m s -> WF P m -> big t P m R ->
  match R with
  | Good P' m' => exists o Pb' mb', step t Pb mb o (Good Pb' mb') /\ bsim Pb' mb' P' m' /\
      match o with Some a => vc_allows s a /\ enc m' (vc_next s a) | None => enc m' s end
  | Err => (exists a Pb' mb', step t Pb mb (Some a) (Good Pb' mb') /\ vc_races s a) \/ step t Pb mb None Err
  end.
Proof.
  intros B E W Bg. destruct Bg as [i r G G' m' Hp Hok Se|i r G Hp Se];
  destruct (bsim_code _ _ _ _ _ _ _ _ B Hp) as (Gb & Hb & Eu); destruct (wf_src _ _ _ W _ _ _ Hp) as [Hs _].
  - destruct (sect_base _ _ _ _ _ _ Gb mb Hs Se Eu (proj1 B)) as (Gb' & mb' & Ex & Eu' & M').
    apply (bsim_pool _ _ _ _ i B) in Hok as Hokb.
    pose proof (exec_step t Pb mb _ _ _ Hb Hokb) as St. rewrite Ex in St.
    exists (lab t i), (after Pb t i r Gb'), mb'. split; [auto|]. split; [eapply bsim_after; eauto|].
    eapply sect_enc; eauto; [eapply wf_id; eauto|eapply pool_apart; eauto].
  - destruct (sect_enc_err _ _ _ _ _ (wf_id _ _ _ W _ _ _ Hp) Se E) as [(a & Ea & Hr)|(e1 & e2 & -> & He)].
    + left. assert (Hx : exists Gb' mb', exec t i Gb mb = Ok Gb' mb') by (inversion Se; subst; simpl in *; eauto; discriminate).
      assert (Hpo : pool_ok Pb i) by (inversion Se; simpl; auto).
      destruct Hx as (Gb' & mb' & Ex). pose proof (exec_step t Pb mb _ _ _ Hb Hpo) as St. rewrite Ex, Ea in St.
      exists a. eexists; eexists. split; [exact St|auto].
    + right. destruct Hs as [U1 U2]. eapply S_AssertFails; [exact Hb|]. rewrite (eqU_eval _ _ _ Eu U1), (eqU_eval _ _ _ Eu U2). exact He.
Qed.

(** Steps of the program are bigger steps, unless VectorClock is stuck on them; failures are failures. *)
Lemma figure_12_backward Pb mb P m s t o R : bsim Pb mb P m -> enc m s -> WF P m -> step t Pb mb o R ->
  match R with
  | Good Pb' mb' =>
     (exists P' m', big t P m (Good P' m') /\ bsim Pb' mb' P' m' /\ match o with Some a => vc_allows s a /\ enc m' (vc_next s a) | None => enc m' s end) \/
     (exists a, o = Some a /\ big t P m Err /\ vc_races s a)
  | Err => big t P m Err
  end.
Proof.
  intros B E W St. destruct (step_exec _ _ _ _ _ St) as (i & r & Gb & Hb & Hok & -> & HR).
  destruct (bsim_code' _ _ _ _ _ _ _ _ B Hb) as (G & Hp & Eu). destruct (wf_src _ _ _ W _ _ _ Hp) as [Hs _].
  destruct R as [Pb' mb'|].
  2: { destruct i as [a e|a q|e q|q|q|u li|u|e1 e2]; simpl in HR; try discriminate; try (destruct (is_lock q); discriminate); try (destruct (_ =? _); discriminate).
    destruct Hs as [U1 U2]. rewrite (eqU_eval _ _ _ Eu U1), (eqU_eval _ _ _ Eu U2) in HR.
    eapply big_err; [exact Hp|]. apply B_AssertErr. destruct (Nat.leb_spec (eval G e1) (eval G e2)); [discriminate|auto]. }
  destruct HR as (Gb' & Ex & ->). apply (bsim_pool _ _ _ _ i B) in Hok.
  assert (Rc : sect t G m i None -> exists a, lab t i = Some a /\ big t P m Err /\ vc_races s a).
  { intros Se. destruct (sect_enc_err _ _ _ _ _ (wf_id _ _ _ W _ _ _ Hp) Se E) as [(a & Ea & Hr)|(e1 & e2 & -> & He)].
    - exists a. split; auto. split; auto. eapply big_err; eauto.
    - exfalso. destruct Hs as [U1 U2]. simpl in Ex. rewrite (eqU_eval _ _ _ Eu U1), (eqU_eval _ _ _ Eu U2) in Ex.
      destruct (Nat.leb_spec (eval G e1) (eval G e2)); [lia|discriminate]. }
  destruct (base_sect P t G m i Gb mb Gb' mb' W Hs Eu (proj1 B) Ex) as [(G' & m' & Se)|Se]; [left|right; auto].
  exists (after P t i r G'), m'. split; [econstructor; eauto|].
  destruct (sect_base _ _ _ _ _ _ Gb mb Hs Se Eu (proj1 B)) as (Gb2 & mb2 & Ex' & Eu' & M'). rewrite Ex in Ex'. injection Ex' as <- <-.
  split; [eapply bsim_after; eauto|]. eapply sect_enc; eauto; [eapply wf_id; eauto|eapply pool_apart; eauto].
Qed.

(** ** Runs *)

Lemma enc_init m : started Z m -> enc m vc_init.
Proof.
  intros Hm. constructor; intros; rewrite Hm; auto. simpl. unfold upd, vbot. destruct (Nat.ltb_spec t Z); [|lia]. rewrite andb_true_r. reflexivity.
Qed.
Lemma bsim_init prog m : started Z m -> bsim (init prog) m0 (init prog) m.
Proof. intros Hm. split; [split; intros; rewrite Hm; auto|]. intros v. destruct (init prog v) as [[? ?]|]; auto using eqU_refl. Qed.

(** A run of the program, the run of bigger steps, and that of VectorClock. *)
Record together (prog : list instr) (al : trace) (Pb : pool) (mb : mem) (P : pool) (m : mem) (s : vcstate) : Prop := {
  tg_base : steps (init prog) m0 al Pb mb;
  tg_big : exists mi, started Z mi /\ bigs (init prog) mi P m;
  tg_vc : runs vc_plain vc_init al s;
  tg_bsim : bsim Pb mb P m;
  tg_enc : enc m s;
  tg_wf : WF P m }.

Lemma together_init prog m : wf_prog Z prog -> started Z m -> together prog [] (init prog) m0 (init prog) m vc_init.
Proof.
  intros H Hm. split; [apply steps_nil|exists m; split; [auto|apply bigs_nil]|apply runs_nil|now apply bsim_init|now apply enc_init|now apply wf_init].
Qed.

Lemma together_step prog al Pb mb P m s t o Pb' mb' P' m' : together prog al Pb mb P m s ->
  step t Pb mb o (Good Pb' mb') -> big t P m (Good P' m') -> bsim Pb' mb' P' m' ->
  match o with Some a => vc_allows s a /\ enc m' (vc_next s a) | None => enc m' s end ->
  exists s', together prog (al ++ label o) Pb' mb' P' m' s'.
Proof.
  intros [T1 (mi & Hmi & T2) T3 T4 T5 T6] St Bg Bs Ho. assert (T2' : exists mi, started Z mi /\ bigs (init prog) mi P' m') by (exists mi; split; [auto|eapply bigs_snoc; eauto]). destruct o as [a|].
  - destruct Ho as [Ha He]. exists (vc_next s a). constructor; auto; [eapply steps_snoc; eauto| |eapply WF_big; eauto].
    eapply runs_snoc; [eauto|]. split; auto.
  - exists s. constructor; auto; [eapply steps_snoc; eauto| |eapply WF_big; eauto].
    simpl. now rewrite app_nil_r.
Qed.

Lemma bigs_base prog mi P m : wf_prog Z prog -> started Z mi -> bigs (init prog) mi P m -> exists al Pb mb s, together prog al Pb mb P m s.
Proof.
  intros Hw Hmi H. induction H as [|t P m P' m' H IH Bg].
  - exists [], (init prog), m0, vc_init. now apply together_init.
  - destruct IH as (al & Pb & mb & s & T).
    destruct (figure_12_forward _ _ _ _ _ _ _ (tg_bsim _ _ _ _ _ _ _ T) (tg_enc _ _ _ _ _ _ _ T) (tg_wf _ _ _ _ _ _ _ T) Bg) as (o & Pb' & mb' & St & Bs & Ho).
    destruct (together_step _ _ _ _ _ _ _ _ _ _ _ _ _ T St Bg Bs Ho) as [s' T']. eauto.
Qed.

(** A run of the program can be followed to its end, or to an operation on which VectorClock is stuck and the bigger step fails. *)
Lemma base_bigs prog al Pb mb : wf_prog Z prog -> steps (init prog) m0 al Pb mb ->
  (exists P m s, together prog al Pb mb P m s) \/
  (exists al1 a al2 P1 m1 P m s t P2 m2, al = al1 ++ a :: al2 /\ together prog al1 P1 m1 P m s /\ step t P1 m1 (Some a) (Good P2 m2) /\
     vc_races s a /\ big t P m Err).
Proof.
  intros Hw H. induction H as [|al Pb mb t o Pb' mb' H IH St].
  - left. destruct (run_start Z) as (mi & _ & Hmi). exists (init prog), mi, vc_init. now apply together_init.
  - destruct IH as [(P & m & s & T)|(al1 & a & al2 & P1 & m1 & P & m & s & t' & P2 & m2 & -> & T)].
    + destruct (figure_12_backward _ _ _ _ _ _ _ _ (tg_bsim _ _ _ _ _ _ _ T) (tg_enc _ _ _ _ _ _ _ T) (tg_wf _ _ _ _ _ _ _ T) St)
        as [(P' & m' & Bg & Bs & Ho)|(a & -> & Bg & Hr)].
      * left. destruct (together_step _ _ _ _ _ _ _ _ _ _ _ _ _ T St Bg Bs Ho) as [s' T']. eauto.
      * right. exists al, a, [], Pb, mb, P, m, s, t, Pb', mb'. auto.
    + right. exists al1, a, (al2 ++ label o), P1, m1, P, m, s, t', P2, m2. split; auto. now rewrite <- app_assoc.
Qed.

Lemma tsteps_steps t Q m R : tsteps t Q m R -> forall Q0 m0 tr, steps Q0 m0 tr Q m ->
  match R with
  | Good Q' m' => exists tr', steps Q0 m0 tr' Q' m'
  | Err => exists tr' Q' m' o, steps Q0 m0 tr' Q' m' /\ step t Q' m' o Err
  end.
Proof.
  induction 1 as [Q m|Q m o H|Q m o Q' m' R H H' IH]; intros Q0 m1 tr S0.
  - eauto.
  - exists tr, Q, m, o. auto.
  - eapply IH. eapply steps_snoc; eauto.
Qed.

Lemma wf_head P m : WF P m -> forall t i li G, P t = Some (i :: li, G) -> src i.
Proof. intros W t i li G Hp. apply (wf_src _ _ _ W) in Hp. apply Hp. Qed.

Lemma start_small prog : exists tr Q m, steps (init (instrument Z prog)) m0 tr Q m /\ psim Z (init prog) Q /\ started Z m.
Proof.
  destruct (run_start Z) as (m & R & Hm).
  assert (Lo : Forall is_local (start Z)) by (apply Forall_forall; intros j Hj; apply in_map_iff in Hj as (k & <- & _); exact I).
  pose proof (run_tsteps 0 _ Lo (inss 0 prog) (init (instrument Z prog)) G0 m0 eq_refl) as Rt. rewrite R in Rt. destruct Rt as (Q & Ht & Hq & Ho).
  destruct (tsteps_steps _ _ _ _ Ht _ _ _ (steps_nil _ _)) as [tr S0]. exists tr, Q, m. split; auto. split; auto.
  intros v. destruct (Nat.eq_dec v 0) as [->|Hv]; [rewrite Hq; split; [auto|apply eqU_refl]|]. rewrite Ho by auto. unfold init. rewrite !upd_other by auto. exact I.
Qed.

Lemma bigs_small prog mi P m : wf_prog Z prog -> started Z mi -> bigs (init prog) mi P m ->
  WF P m /\ exists tr Q mq, steps (init (instrument Z prog)) m0 tr Q mq /\ psim Z P Q /\ meq m mq.
Proof.
  intros Hw Hmi H. induction H as [|t P m P' m' H IH Bg].
  - split; [now apply wf_init|]. destruct (start_small prog) as (tr & Q & mq & S0 & Ps & Hq). exists tr, Q, mq. split; [auto|]. split; [auto|].
    intros p. now rewrite Hmi, Hq.
  - destruct IH as (W & tr & Q & mq & S0 & Ps & Em). split; [eapply WF_big; eauto|].
    destruct (instrumentation_lemma_3 Z _ _ _ _ Q mq Bg (wf_head _ _ W t) Ps Em) as (Q' & mq' & Ts & Ps' & Em').
    destruct (tsteps_steps _ _ _ _ Ts _ _ _ S0) as [tr' S']. exists tr', Q', mq'. auto.
Qed.

Lemma sim_of Pb mb P m Q mq : bsim Pb mb P m -> psim Z P Q -> meq m mq -> sim Pb mb Q mq.
Proof.
  intros [[Mv Ml] B] Ps Em. split; [|split; intros; rewrite <- Em; auto]. intros v. specialize (B v). specialize (Ps v).
  destruct (Pb v) as [[lb Gb]|], (P v) as [[lp Gp]|], (Q v) as [[lq Gq]|]; try contradiction; auto.
  destruct B as [-> B], Ps as [-> Ps]. split; auto. eapply eqU_trans; eauto.
Qed.

Lemma psim_final P Q : psim Z P Q -> (final P <-> final Q).
Proof.
  intros Ps. split; intros F v li G Hv; specialize (Ps v); rewrite Hv in Ps.
  - destruct (P v) as [[lp Gp]|] eqn:Hp; [|contradiction]. apply F in Hp. subst. destruct Ps as [-> _]. reflexivity.
  - destruct (Q v) as [[lq Gq]|] eqn:Hq; [|contradiction]. apply F in Hq. subst. destruct Ps as [Ps _]. destruct li as [|i r]; auto.
    simpl in Ps. symmetry in Ps. apply app_eq_nil in Ps as [Ps _]. now elim (ins_not_nil Z v i).
Qed.

Lemma together_race_free prog al Pb mb P m s : together prog al Pb mb P m s -> race_free al.
Proof.
  intros T. apply vectorclock_theorem_1; [eapply steps_feasible; eapply tg_base; eauto|]. exists s. apply plain_runs_vc. eapply tg_vc; eauto.
Qed.

(** ** Theorem 4: race-free bisimulation *)

Theorem instrumentation_theorem_4 prog : wf_prog Z prog ->
  (* a run of the instrumented program to its end: so goes the program, without a race *)
  (forall tr Pf' mf', steps (init (instrument Z prog)) m0 tr Pf' mf' -> final Pf' ->
     exists al Pf mf, steps (init prog) m0 al Pf mf /\ final Pf /\ race_free al /\ sim Pf mf Pf' mf') /\
  (* and a run of the program to its end without a race: so goes the instrumented program *)
  (forall al Pf mf, steps (init prog) m0 al Pf mf -> final Pf -> race_free al ->
     exists tr Pf' mf', steps (init (instrument Z prog)) m0 tr Pf' mf' /\ final Pf' /\ sim Pf mf Pf' mf').
Proof.
  intros Hw. split.
  - intros tr Pf' mf' H F.
    destruct (start_ends Z _ _ _ _ Hw H (or_introl F)) as (Q0 & mi & tr' & H0 & E & Hmi).
    destruct (instrumentation_lemma_9 Z _ _ _ _ _ _ (wf_init Z prog mi Hw Hmi) E H0 F) as (P & m & B & FP & EP & Em).
    destruct (bigs_base _ _ _ _ Hw Hmi B) as (al & Pb & mb & s & T).
    assert (Ps : psim Z P Pf'). { intros v. rewrite EP. unfold inst. destruct (P v) as [[li G]|]; auto using eqU_refl. }
    assert (Sm : sim Pb mb Pf' mf') by (eapply sim_of; [eapply tg_bsim; eauto|exact Ps|intros p; symmetry; apply Em]).
    exists al, Pb, mb. split; [eapply tg_base; eauto|]. split; [|split; [eapply together_race_free; eauto|exact Sm]].
    apply (psim_final _ _ (proj1 Sm)). exact F.
  - intros al Pf mf H F Rf. destruct (base_bigs _ _ _ _ Hw H) as [(P & m & s & T)|(al1 & a & al2 & P1 & m1 & P & m & s & t & P2 & m2 & -> & T & St & Hr & Bg)].
    + destruct (tg_big _ _ _ _ _ _ _ T) as (mi & Hmi & B). destruct (bigs_small _ _ _ _ Hw Hmi B) as (W & tr & Q & mq & S0 & Ps & Em).
      assert (Sm : sim Pf mf Q mq) by (eapply sim_of; [eapply tg_bsim; eauto|exact Ps|exact Em]).
      exists tr, Q, mq. split; auto. split; auto. apply (psim_final _ _ (proj1 Sm)). exact F.
    + exfalso. destruct (steps_feasible _ _ _ _ (tg_base _ _ _ _ _ _ _ T)) as [Fe _].
      destruct (plain_race _ _ _ Fe (tg_vc _ _ _ _ _ _ _ T) Hr) as [x Hx]. apply (Rf x).
      replace (al1 ++ a :: al2) with ((al1 ++ [a]) ++ al2) by now rewrite <- app_assoc. apply race_on_app. eexists; eauto.
Qed.

(** ** Theorem 5: race-detected bisimulation *)

(** The program runs to (P1, m1) and t's next step there is one on whose operation VectorClock, which accepts all before it, is stuck. *)
Definition stuck_next (prog : list instr) (t : tid) (P1 : pool) (m1 : mem) : Prop :=
  exists al a P2 m2 s, steps (init prog) m0 al P1 m1 /\ step t P1 m1 (Some a) (Good P2 m2) /\
  runs (vc_step true) vc_init al s /\ (forall s', ~ vc_step true s a s').

(** By definition: it completes the first race. *)
Definition race_next (prog : list instr) (t : tid) (P1 : pool) (m1 : mem) : Prop :=
  exists al a P2 m2 x, steps (init prog) m0 al P1 m1 /\ step t P1 m1 (Some a) (Good P2 m2) /\
  race_free al /\ race_at (al ++ [a]) x (length al).

(** The instrumented program runs to (P1', m1'), and from there t alone goes on to fail an assertion. *)
Definition fails_from (prog : list instr) (t : tid) (P1' : pool) (m1' : mem) : Prop :=
  exists tr, steps (init (instrument Z prog)) m0 tr P1' m1' /\ tsteps t P1' m1' Err.

Lemma stuck_race al a s : feasible (al ++ [a]) -> runs (vc_step true) vc_init al s -> (forall s', ~ vc_step true s a s') ->
  exists x, race_at (al ++ [a]) x (length al).
Proof.
  intros F R Hst. destruct (vc_runs_drun true al s R) as [Es Hx]. destruct s as [y R' W']. simpl in Es, Hx. subst y.
  destruct a as [t x|t x|t l|t l|t u|t u|t]; try (exfalso; eapply Hst; constructor; fail); exists x;
  destruct (Hx x) as (r & w & E & Hr & Hw); apply (first_race (VCj true)); auto; try (rewrite E; discriminate);
  rewrite drun_snoc; unfold dstep; cbn [dvar]; rewrite upd_same, E, drun_sync; cbn [rdv wrv VCj]; unfold vc_rd, vc_wr.
  - destruct (Nat.eqb_spec (lget r t) (C (clk (jinc (VCj true)) al) t t)) as [Eq|_].
    + exfalso. eapply Hst. apply VC_ReadNoChange. rewrite <- Hr. exact Eq.
    + destruct (lle w _) eqn:El; auto. rewrite lle_true in El. exfalso. eapply Hst. apply VC_Read. intros u. rewrite <- Hw. apply El.
  - destruct (Nat.eqb_spec (lget w t) (C (clk (jinc (VCj true)) al) t t)) as [Eq|_].
    + exfalso. eapply Hst. apply VC_WriteNoChange. rewrite <- Hw. exact Eq.
    + destruct (lle w _) eqn:El; auto. destruct (lle r _) eqn:Er; auto. rewrite lle_true in El, Er.
      exfalso. eapply Hst. apply VC_Write; intros u; [rewrite <- Hr; apply Er|rewrite <- Hw; apply El].
Qed.

Lemma stuck_next_race prog t P1 m1 : stuck_next prog t P1 m1 <-> race_next prog t P1 m1.
Proof.
  assert (Fe : forall al a P2 m2, steps (init prog) m0 al P1 m1 -> step t P1 m1 (Some a) (Good P2 m2) -> feasible al /\ feasible (al ++ [a])).
  { intros al a P2 m2 H St. destruct (steps_feasible _ _ _ _ H) as [Fe Ti]. destruct (step_feasible _ _ _ _ _ _ _ St Fe Ti) as [Fe' _]. auto. }
  split.
  - intros (al & a & P2 & m2 & s & H & St & R & Hst). destruct (Fe _ _ _ _ H St) as [F1 F2].
    destruct (stuck_race _ _ _ F2 R Hst) as [x Hx]. exists al, a, P2, m2, x. repeat split; auto. apply vectorclock_theorem_1; eauto.
  - intros (al & a & P2 & m2 & x & H & St & Rf & Hx). destruct (Fe _ _ _ _ H St) as [F1 F2].
    destruct (proj2 (vectorclock_theorem_1 al F1) Rf) as [s R]. exists al, a, P2, m2, s. repeat split; auto.
    intros s' Sv. assert (Rf' : race_free (al ++ [a])) by (apply vectorclock_theorem_1; [auto|]; exists s'; eapply runs_snoc; eauto).
    apply (Rf' x). eexists; eauto.
Qed.

Lemma together_race prog al P1 m1 P m s t a P2 m2 : together prog al P1 m1 P m s -> step t P1 m1 (Some a) (Good P2 m2) -> vc_races s a ->
  race_next prog t P1 m1.
Proof.
  intros T St Hr. pose proof (tg_base _ _ _ _ _ _ _ T) as H. destruct (steps_feasible _ _ _ _ H) as [Fe _].
  destruct (plain_race _ _ _ Fe (tg_vc _ _ _ _ _ _ _ T) Hr) as [x Hx].
  exists al, a, P2, m2, x. repeat split; auto. eapply together_race_free; eauto.
Qed.

Lemma together_fails prog al P1 m1 P m s t : wf_prog Z prog -> together prog al P1 m1 P m s -> big t P m Err ->
  exists P1' m1', fails_from prog t P1' m1' /\ sim P1 m1 P1' m1'.
Proof.
  intros Hw T Bg. destruct (tg_big _ _ _ _ _ _ _ T) as (mi & Hmi & B). destruct (bigs_small _ _ _ _ Hw Hmi B) as (W & tr & Q & mq & S0 & Ps & Em). exists Q, mq.
  split; [|eapply sim_of; [eapply tg_bsim; eauto|exact Ps|exact Em]]. exists tr. split; auto.
  exact (instrumentation_lemma_3 Z _ _ _ _ Q mq Bg (wf_head _ _ W t) Ps Em).
Qed.

(** The program, without a race so far, comes to (P1, m1), where an assertion of its own fails. *)
Definition assertion_next (prog : list instr) (t : tid) (P1 : pool) (m1 : mem) : Prop :=
  exists al, steps (init prog) m0 al P1 m1 /\ race_free al /\ step t P1 m1 None Err.

(** The paper relates the states before the failing step; but there other threads may be within sections, as it says before its Lemma 10. So "corresponding
    states" are those of a run in which t's section is the only one that is not complete, and the state before the failing step is an instrumented suffix of
    the program's: each thread there is in the section of the same instruction. And the paper does not say what becomes of assertions of the program's own. *)
Theorem instrumentation_theorem_5 prog : wf_prog Z prog ->
  (* where t fails in any run of the instrumented program, the program can run to a state there, each thread at the same instruction, where t's next
     operation is one on which VectorClock is stuck (or its next step is a failing assertion), and the instrumented program to the corresponding state, from
     which t fails *)
  (forall tr Pe me t o, steps (init (instrument Z prog)) m0 tr Pe me -> step t Pe me o Err ->
     exists P1 m1 P1' m1', (stuck_next prog t P1 m1 \/ assertion_next prog t P1 m1) /\ suffix P1 Pe /\ fails_from prog t P1' m1' /\ sim P1 m1 P1' m1') /\
  (* and where VectorClock is stuck on the program's next operation (or an assertion fails), the instrumented program can run to the corresponding state and fail *)
  (forall t P1 m1, stuck_next prog t P1 m1 \/ assertion_next prog t P1 m1 -> exists P1' m1', fails_from prog t P1' m1' /\ sim P1 m1 P1' m1').
Proof.
  intros Hw. split.
  - intros tr Pe me t o H St.
    destruct (start_ends Z _ _ _ _ Hw H (or_intror (ex_intro _ t (ex_intro _ o St)))) as (Q0 & mi & tr' & H0 & E & Hmi).
    destruct (instrumentation_lemma_10 Z _ _ _ _ _ _ _ _ (wf_init Z prog mi Hw Hmi) E H0 St) as (P & m & B & Sf & Bg).
    destruct (bigs_base _ _ _ _ Hw Hmi B) as (al & Pb & mb & s & T).
    destruct (together_fails _ _ _ _ _ _ _ _ Hw T Bg) as (P1' & m1' & Hf & Sm).
    exists Pb, mb, P1', m1'. split; [|split; [eapply bsim_suffix; [eapply tg_bsim; eauto|exact Sf]|auto]].
    destruct (figure_12_forward _ _ _ _ _ _ _ (tg_bsim _ _ _ _ _ _ _ T) (tg_enc _ _ _ _ _ _ _ T) (tg_wf _ _ _ _ _ _ _ T) Bg) as [(a & Pb' & mb' & Sb & Hr)|Sb].
    + left. apply stuck_next_race. eapply together_race; eauto.
    + right. exists al. split; [eapply tg_base; eauto|]. split; [eapply together_race_free; eauto|exact Sb].
  - assert (Go : forall al t P1 m1 o R, steps (init prog) m0 al P1 m1 -> race_free al -> step t P1 m1 o R ->
      exists P m s, together prog al P1 m1 P m s).
    { intros al t P1 m1 o R H Rf _.
      destruct (base_bigs _ _ _ _ Hw H) as [T|(al1 & b & al2 & P3 & m3 & P & m & s & v & P4 & m4 & -> & T & _ & Hr & _)]; auto.
      exfalso. destruct (steps_feasible _ _ _ _ (tg_base _ _ _ _ _ _ _ T)) as [Fe _].
      destruct (plain_race _ _ _ Fe (tg_vc _ _ _ _ _ _ _ T) Hr) as [z Hz]. apply (Rf z).
      replace (al1 ++ b :: al2) with ((al1 ++ [b]) ++ al2) by now rewrite <- app_assoc. apply race_on_app. eexists; eauto. }
    intros t P1 m1 [Hst|(al & H & Rf & St)].
    + apply stuck_next_race in Hst as (al & a & P2 & m2 & x & H & St & Rf & Hx).
      destruct (Go _ _ _ _ _ _ H Rf St) as (P & m & s & T).
      destruct (figure_12_backward _ _ _ _ _ _ _ _ (tg_bsim _ _ _ _ _ _ _ T) (tg_enc _ _ _ _ _ _ _ T) (tg_wf _ _ _ _ _ _ _ T) St)
        as [(P' & m' & Bg & Bs & Ho)|(b & _ & Bg & _)].
      * exfalso. destruct (together_step _ _ _ _ _ _ _ _ _ _ _ _ _ T St Bg Bs Ho) as [s' T'].
        apply (together_race_free _ _ _ _ _ _ _ T' x). simpl. eexists; eauto.
      * eapply together_fails; eauto.
    + destruct (Go _ _ _ _ _ _ H Rf St) as (P & m & s & T).
      pose proof (figure_12_backward _ _ _ _ _ _ _ _ (tg_bsim _ _ _ _ _ _ _ T) (tg_enc _ _ _ _ _ _ _ T) (tg_wf _ _ _ _ _ _ _ T) St) as Bg.
      eapply together_fails; eauto.
Qed.

(** Soundness and completeness in one line: the instrumented program can fail if and only if the program can race, or can fail before any race. *)
Corollary instrumentation_sound_and_complete prog : wf_prog Z prog ->
  ((exists tr P m t o, steps (init (instrument Z prog)) m0 tr P m /\ step t P m o Err) <->
   (exists al P m, steps (init prog) m0 al P m /\ ~ race_free al) \/ (exists t P m, assertion_next prog t P m)).
Proof.
  intros Hw. assert (Fl : forall t P m, fails_from prog t P m -> exists tr P m t o, steps (init (instrument Z prog)) m0 tr P m /\ step t P m o Err).
  { intros t P m (tr & S1 & Ht). destruct (tsteps_steps _ _ _ _ Ht _ _ _ S1) as (tr' & Q & mq & o & S2 & S3). exists tr', Q, mq, t, o. auto. }
  split.
  - intros (tr & P & m & t & o & H & St). destruct (proj1 (instrumentation_theorem_5 prog Hw) _ _ _ _ _ H St) as (P1 & m1 & _ & _ & [Hs|Hs] & _); [left|right; eauto].
    apply stuck_next_race in Hs as (al & a & P2 & m2 & x & Hb & Sb & _ & Hx).
    exists (al ++ label (Some a)), P2, m2. split; [eapply steps_snoc; eauto|]. intros Rf. apply (Rf x). simpl. eexists; eauto.
  - intros [(al & Pb & mb & H & Nr)|(t & P & m & Ha)].
    + destruct (base_bigs _ _ _ _ Hw H) as [(P & m & s & T)|(al1 & a & al2 & P1 & m1 & P & m & s & t & P2 & m2 & -> & T & St & Hr & Bg)].
      * elim Nr. eapply together_race_free; eauto.
      * destruct (together_fails _ _ _ _ _ _ _ _ Hw T Bg) as (P1' & m1' & Hf & _). eapply Fl; eauto.
    + destruct (proj2 (instrumentation_theorem_5 prog Hw) t P m (or_intror Ha)) as (P1' & m1' & Hf & _). eapply Fl; eauto.
Qed.
End Theorems.

(** ** Examples: Figure 10, and the same with a lock *)

Definition figure_10 : list instr := [Spawn 1 [Store (Num 2) (Var 5)]; Load (U 0) (Var 5)].
Definition figure_10_locked : list instr :=
  [Spawn 1 [Lock (Lk 9); Store (Num 2) (Var 5); Unlock (Lk 9)]; Lock (Lk 9); Load (U 0) (Var 5); Unlock (Lk 9); Wait 1].

Example figure_10_wf : wf_prog 2 figure_10.
Proof. unfold wf_prog. simpl. repeat split; auto; repeat constructor; simpl; lia. Qed.
Example figure_10_locked_wf : wf_prog 2 figure_10_locked.
Proof. unfold wf_prog. simpl. repeat split; auto; repeat constructor; simpl; lia. Qed.

Ltac walk := first [apply steps_nil | eapply steps_snoc; [walk|first
  [eapply S_Spawn; reflexivity|eapply S_Lock; reflexivity|eapply S_Load; reflexivity|eapply S_Unlock; reflexivity|eapply S_Store; reflexivity|eapply S_Wait; reflexivity]]].

(** Without the lock there is a run that fails. *)
Example figure_10_fails : exists tr P m t o, steps (init (instrument 2 figure_10)) m0 tr P m /\ step t P m o Err.
Proof.
  apply (instrumentation_sound_and_complete 2); [apply figure_10_wf|]. left.
  assert (exists P m, steps (init figure_10) m0 [Fork 0 1; Wr 1 5; Rd 0 5] P m) as (P & m & H).
  { eexists; eexists. change [Fork 0 1; Wr 1 5; Rd 0 5] with ((([] ++ label (Some (Fork 0 1))) ++ label (on_var (Var 5) (Wr 1))) ++ label (on_var (Var 5) (Rd 0))).
    walk. }
  exists [Fork 0 1; Wr 1 5; Rd 0 5], P, m. split; auto. intros Rf. apply (Rf 5).
  destruct (steps_feasible _ _ _ _ H) as [F _]. rewrite <- (precise VectorClock _ 5 F). reflexivity.
Qed.

(** With it there is a run to the end. *)
Example figure_10_locked_ends : exists tr P m, steps (init (instrument 2 figure_10_locked)) m0 tr P m /\ final P.
Proof.
  assert (exists P m, steps (init figure_10_locked) m0 [Fork 0 1; Acq 0 9; Rd 0 5; Rel 0 9; Acq 1 9; Wr 1 5; Rel 1 9; Join 0 1] P m /\ final P) as (P & m & H & F).
  { eexists; eexists. split.
    - change [Fork 0 1; Acq 0 9; Rd 0 5; Rel 0 9; Acq 1 9; Wr 1 5; Rel 1 9; Join 0 1] with
        (((((((([] ++ label (Some (Fork 0 1))) ++ label (on_lock (Lk 9) (Acq 0))) ++ label (on_var (Var 5) (Rd 0))) ++ label (on_lock (Lk 9) (Rel 0))) ++
          label (on_lock (Lk 9) (Acq 1))) ++ label (on_var (Var 5) (Wr 1))) ++ label (on_lock (Lk 9) (Rel 1))) ++ label (Some (Join 0 1))).
      walk.
    - intros [|[|t]] li G E; simpl in E; try discriminate; now injection E. }
  destruct (proj2 (instrumentation_theorem_4 2 _ figure_10_locked_wf) _ _ _ H F) as (tr & P' & m' & H' & F' & _); [|eauto].
  destruct (steps_feasible _ _ _ _ H) as [Fe _]. intros x. rewrite <- (precise VectorClock _ x Fe). unfold drun. simpl. unfold upd. destruct (x =? 5); discriminate.
Qed.
