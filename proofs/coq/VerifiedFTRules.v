(** Theorem 3.1 of 001 for the rules of its Figure 2 as printed: a relation, one constructor a rule, that stops at [Error]. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VerifiedFT.

(** The rules for a variable in state [s] accessed by [t], whose clock is [c]; [None] is the paper's Error.
    As printed they overlap: [VFT_ReadShare] may be taken where [VFT_ReadExclusive] applies. The theorems hold for every choice. *)
Inductive rd_rule (c : vc) (t : tid) (s : vftS) : option vftS -> Prop :=
| VFT_ReadSameEpoch : vR s = REpoch (t, c t) -> rd_rule c t s (Some s)
| VFT_ReadSharedSameEpoch : vR s = RShared -> lget (vV s) t = c t -> rd_rule c t s (Some s)
| VFT_ReadShared : vR s = RShared -> ele (vW s) c = true ->
    rd_rule c t s (Some (mkV (lset (vV s) t (c t)) RShared (vW s)))
| VFT_ReadExclusive r : vR s = REpoch r -> ele (vW s) c = true -> ele r c = true ->
    rd_rule c t s (Some (mkV (vV s) (REpoch (t, c t)) (vW s)))
| VFT_ReadShare u k : vR s = REpoch (u, k) -> ele (vW s) c = true -> u <> t ->
    rd_rule c t s (Some (mkV (lset (lset [] u k) t (c t)) RShared (vW s)))
| VFT_WriteReadRace : ele (vW s) c = false -> rd_rule c t s None.

Inductive wr_rule (c : vc) (t : tid) (s : vftS) : option vftS -> Prop :=
| VFT_WriteSameEpoch : vW s = (t, c t) -> wr_rule c t s (Some s)
| VFT_WriteExclusive r : vR s = REpoch r -> ele r c = true -> ele (vW s) c = true ->
    wr_rule c t s (Some (mkV (vV s) (vR s) (t, c t)))
| VFT_WriteShared : vR s = RShared -> lle (vV s) c = true -> ele (vW s) c = true ->
    wr_rule c t s (Some (mkV (vV s) (vR s) (t, c t)))
| VFT_WriteWriteRace : ele (vW s) c = false -> wr_rule c t s None
| VFT_ReadWriteRace r : vR s = REpoch r -> ele r c = false -> wr_rule c t s None
| VFT_SharedWriteRace : vR s = RShared -> lle (vV s) c = false -> wr_rule c t s None.

(** What the function computes is one of the choices. *)
Lemma rd_rule_fun c t s : 1 <= c t -> (forall r, vR s = REpoch r -> fst r = t -> snd r <= c t) -> rd_rule c t s (vft_rd c t s).
Proof.
  intros Hc Hown. unfold vft_rd. destruct (vR s) as [r|] eqn:ER.
  - destruct (eeq r (t, c t)) eqn:EE; [apply eeq_true in EE; subst; now apply VFT_ReadSameEpoch|].
    destruct (ele (vW s) c) eqn:EW; [|now apply VFT_WriteReadRace].
    destruct (ele r c) eqn:El; [eapply VFT_ReadExclusive; eauto|].
    destruct r as [u k]. cbn [fst snd]. apply VFT_ReadShare; auto. intros ->.
    specialize (Hown _ eq_refl eq_refl). unfold ele in El. simpl in *. apply Nat.leb_gt in El. lia.
  - destruct (Nat.eqb_spec (lget (vV s) t) (c t)); [now apply VFT_ReadSharedSameEpoch|].
    destruct (ele (vW s) c) eqn:EW; [now apply VFT_ReadShared|now apply VFT_WriteReadRace].
Qed.

Lemma wr_rule_fun c t s : wr_rule c t s (vft_wr c t s).
Proof.
  unfold vft_wr. destruct (eeq (vW s) (t, c t)) eqn:EE; [apply eeq_true in EE; now apply VFT_WriteSameEpoch|].
  destruct (ele (vW s) c) eqn:EW; [|now apply VFT_WriteWriteRace].
  destruct (vR s) as [r|] eqn:ER.
  - destruct (ele r c) eqn:El; [|eapply VFT_ReadWriteRace; eauto].
    rewrite <- ER. eapply VFT_WriteExclusive; eauto.
  - destruct (lle (vV s) c) eqn:El; [|now apply VFT_SharedWriteRace].
    rewrite <- ER. now apply VFT_WriteShared.
Qed.

Notation RR := vft_repR.
Notation WW := (fun s => repE (vW s)).

(** Each rule does to what is remembered what the generic detector demands. *)
Lemma rd_rule_ok c t s o : 1 <= c t -> rd_rule c t s o ->
  match o with
  | Some s' =>
     (s' = s /\ RR s t (c t)) \/
     ((forall u k, WW s u k -> k <= c u) /\ (forall u k, WW s' u k <-> WW s u k) /\ RR s' t (c t) /\
      (forall u k, RR s' u k -> RR s u k \/ (u = t /\ k = c t)) /\
      (forall u k, RR s u k -> RR s' u k \/ u = t \/ k <= c u))
  | None => exists u k, WW s u k /\ c u < k
  end.
Proof.
  intros Hc Hr. destruct s as [V R W]. destruct Hr as [E|E EV|E EW|r E EW ER|u k E EW Hu|EW]; simpl in *; subst.
  - left. split; auto. unfold vft_repR, repE; simpl. auto.
  - left. split; auto. unfold vft_repR, repV; simpl. auto.
  - pose proof (ele_true _ _ EW) as HW. unfold vft_repR. simpl. split5; unfold repV.
    + rewrite lget_lset, Nat.eqb_refl. auto.
    + intros u k [Hk He]. rewrite lget_lset in He. eqbp; auto.
    + intros u k [Hk He]. rewrite lget_lset. eqbp; auto.
  - pose proof (ele_true _ _ EW) as HW. pose proof (ele_true _ _ ER) as HR. unfold vft_repR. simpl. split5; unfold repE; auto.
    intros u k [Hk [= <- <-]]. auto.
  - pose proof (ele_true _ _ EW) as HW. unfold vft_repR. simpl. split5; unfold repV, repE.
    + rewrite lget_lset, Nat.eqb_refl. auto.
    + intros v j [Hk He]. rewrite !lget_lset, lget_nil in He. eqbp; try lia; auto.
    + intros v j [Hk [= -> ->]]. rewrite !lget_lset, Nat.eqb_refl. eqbp; auto.
  - now apply ele_false.
Qed.

Lemma wr_rule_ok c t s o : 1 <= c t -> wr_rule c t s o ->
  match o with
  | Some s' =>
     (s' = s /\ WW s t (c t)) \/
     ((forall u k, RR s u k \/ WW s u k -> k <= c u) /\ WW s' t (c t) /\
      (forall u k, WW s' u k -> WW s u k \/ (u = t /\ k = c t)) /\ (forall u k, RR s' u k -> RR s u k))
  | None => exists u k, (RR s u k \/ WW s u k) /\ c u < k
  end.
Proof.
  intros Hc Hr. destruct s as [V R W]. destruct Hr as [E|r E ER EW|E EV EW|EW|r E ER|E EV]; simpl in *; subst.
  - left. split; auto. unfold repE; auto.
  - pose proof (ele_true _ _ EW) as HW. pose proof (ele_true _ _ ER) as HR. unfold vft_repR; simpl.
    split4; auto; [intros u k [K|K]; auto|unfold repE; auto|intros u k [Hk [= <- <-]]; auto].
  - pose proof (ele_true _ _ EW) as HW. rewrite lle_true in EV. unfold vft_repR; simpl.
    split4; auto; [intros u k [[Hk <-]|K]; auto|unfold repE; auto|intros u k [Hk [= <- <-]]; auto].
  - destruct (ele_false _ _ EW) as (u & k & ? & ?); eauto.
  - destruct (ele_false _ _ ER) as (u & k & ? & ?). exists u, k. unfold vft_repR; simpl. auto.
  - apply lle_false in EV as [u Hu]. exists u, (lget V u). unfold vft_repR, repV; simpl. split; [left|]; lia.
Qed.

(** ** Runs that go on with the other variables after an error: [f x = None] once x has been flagged *)
Definition vft0 := mkV [] (REpoch ebot) ebot.
Notation ck tr := (clk false tr).

Inductive vruns : trace -> (var -> option vftS) -> Prop :=
| vr_nil : vruns [] (fun _ => Some vft0)
| vr_sync tr f a : vruns tr f -> (forall x, ~ accesses x a) -> vruns (tr ++ [a]) f
| vr_rd tr f t x s o : vruns tr f -> f x = Some s -> rd_rule (C (ck tr) t) t s o -> vruns (tr ++ [Rd t x]) (upd f x o)
| vr_wr tr f t x s o : vruns tr f -> f x = Some s -> wr_rule (C (ck tr) t) t s o -> vruns (tr ++ [Wr t x]) (upd f x o)
| vr_flagged tr f a x : vruns tr f -> f x = None -> accesses x a -> vruns (tr ++ [a]) f.

Lemma feasible_snoc_inv tr a : feasible (tr ++ [a]) -> feasible tr /\ ok_next tr a.
Proof.
  intros F. inversion F as [E|tr' a' Ft Ho E]; [destruct tr; discriminate|].
  apply app_inj_tail in E as [-> ->]. auto.
Qed.

Lemma accesses_fun x y a : accesses x a -> accesses y a -> x = y.
Proof. destruct a; simpl; intros; try contradiction; congruence. Qed.

Theorem vruns_inv tr f : vruns tr f -> feasible tr ->
  forall x, match f x with Some s => VInv VerifiedFT tr x s | None => race_on tr x end.
Proof.
  induction 1 as [|tr f a Hr IH Hn|tr f t x s o Hr IH Hx Ru|tr f t x s o Hr IH Hx Ru|tr f a x Hr IH Hx Ha]; intros F y.
  - apply (detector_state_inv VerifiedFT [] y feas_nil).
  - apply feasible_snoc_inv in F as [Ft _]. specialize (IH Ft y).
    destruct (f y); [apply VInv_other; auto|now apply race_on_snoc].
  - apply feasible_snoc_inv in F as [Ft [Hj Ho]].
    pose proof (clocks_correct false tr Ft) as I. unfold upd. destruct (Nat.eqb_spec y x) as [->|Hne].
    + specialize (IH Ft x). rewrite Hx in IH. pose proof (rd_rule_ok _ _ _ _ (inv_pos _ _ I t) Ru) as G.
      destruct o as [s'|]; [eapply (VInv_read VerifiedFT); eauto|]. destruct G as (u & k & Hw & Hk).
      destruct (vi_Wb _ _ _ _ IH _ _ Hw) as (j & Hb & <-). exists (length tr).
      eapply not_known_race; eauto; [simpl; auto|]. simpl. rewrite (inv_T _ _ I t j _ Hb). simpl in *. lia.
    + specialize (IH Ft y). destruct (f y); [apply VInv_other; auto; simpl; congruence|now apply race_on_snoc].
  - apply feasible_snoc_inv in F as [Ft [Hj Ho]].
    pose proof (clocks_correct false tr Ft) as I. unfold upd. destruct (Nat.eqb_spec y x) as [->|Hne].
    + specialize (IH Ft x). rewrite Hx in IH. pose proof (wr_rule_ok _ _ _ _ (inv_pos _ _ I t) Ru) as G.
      destruct o as [s'|]; [eapply (VInv_write VerifiedFT); eauto|]. destruct G as (u & k & [Hw|Hw] & Hk);
      [destruct (vi_Rb _ _ _ _ IH _ _ Hw) as (j & Hb & <-)|destruct (vi_Wb _ _ _ _ IH _ _ Hw) as (j & Hb & <-)];
      exists (length tr); (eapply not_known_race; eauto; [simpl; auto|]); simpl; rewrite (inv_T _ _ I t j _ Hb); simpl in *; lia.
    + specialize (IH Ft y). destruct (f y); [apply VInv_other; auto; simpl; congruence|now apply race_on_snoc].
  - apply feasible_snoc_inv in F as [Ft [Hj Ho]]. specialize (IH Ft y). destruct (f y) eqn:Ey; [|now apply race_on_snoc].
    apply VInv_other; auto. intros Hy. assert (x = y) by eauto using accesses_fun. congruence.
Qed.

(** Whichever rules are taken where several apply: x is flagged if and only if there is a race on x. *)
Theorem vruns_precise tr f x : vruns tr f -> feasible tr -> (f x = None <-> race_on tr x).
Proof.
  intros Hr F. pose proof (vruns_inv tr f Hr F x) as H. destruct (f x) as [s|]; [|tauto].
  split; [discriminate|]. intros (j & i & a & b & Hij & Ha & Hb & Cf & Hh). exfalso. apply Hh. eapply vi_rf; eauto.
Qed.

(** ** The paper's transition relation S =>^a S' on whole states *)
Definition vstate := (sync * (var -> vftS))%type.
Definition S0 : vstate := (sync0, fun _ => vft0).

Inductive vft_step : vstate -> op -> vstate -> Prop :=
| VFT_Read s f t x v : rd_rule (C s t) t (f x) (Some v) -> vft_step (s, f) (Rd t x) (s, upd f x v)
| VFT_Write s f t x v : wr_rule (C s t) t (f x) (Some v) -> vft_step (s, f) (Wr t x) (s, upd f x v)
| VFT_Acquire s f t m : vft_step (s, f) (Acq t m) (mkSync (upd (C s) t (vjoin (C s t) (L s m))) (L s), f)
| VFT_Release s f t m : vft_step (s, f) (Rel t m) (mkSync (upd (C s) t (vinc t (C s t))) (upd (L s) m (C s t)), f)
| VFT_Fork s f t u : vft_step (s, f) (Fork t u)
    (mkSync (upd (upd (C s) u (vjoin (C s u) (C s t))) t (vinc t (C s t))) (L s), f)
| VFT_Join s f t u : vft_step (s, f) (Join t u) (mkSync (upd (C s) t (vjoin (C s t) (C s u))) (L s), f)
| VFT_Exit s f t : vft_step (s, f) (Exit t) (s, f).

Inductive steps : vstate -> trace -> vstate -> Prop :=
| steps_nil S : steps S [] S
| steps_snoc S tr S1 a S2 : steps S tr S1 -> vft_step S1 a S2 -> steps S (tr ++ [a]) S2.

Lemma vft_step_sync s f a S' : vft_step (s, f) a S' -> fst S' = sync_step false s a.
Proof. inversion 1; reflexivity. Qed.

Lemma steps_vruns tr S : steps S0 tr S -> fst S = ck tr /\ exists f, vruns tr f /\ forall x, f x = Some (snd S x).
Proof.
  remember S0 as I0 eqn:EI. induction 1 as [S|S tr S1 a S2 Hs IH St]; subst.
  - split; auto. exists (fun _ => Some vft0). split; [constructor|auto].
  - destruct (IH eq_refl) as (Es & f & Hf & Ef). destruct S1 as [s g]. simpl in Es. subst s.
    split; [rewrite clk_snoc; eapply vft_step_sync; eauto|].
    inversion St; subst; simpl in *;
    try (exists f; split; [apply vr_sync; [exact Hf|intros y []]|exact Ef]).
    + exists (upd f x (Some v)). split; [eapply vr_rd; eauto|]. intros y. unfold upd. destruct (y =? x); auto.
    + exists (upd f x (Some v)). split; [eapply vr_wr; eauto|]. intros y. unfold upd. destruct (y =? x); auto.
Qed.

(** The function's run is a run of the relation as long as it flags nothing. *)
Lemma drun_steps tr : feasible tr -> (forall x, dvar _ (drun VerifiedFT tr) x <> None) ->
  exists g, steps S0 tr (ck tr, g) /\ forall x, dvar _ (drun VerifiedFT tr) x = Some (g x).
Proof.
  intros F. induction F as [|tr a F IH [Hj Ho]]; intros Hn.
  - exists (fun _ => vft0). split; [constructor|reflexivity].
  - assert (Hn' : forall x, dvar _ (drun VerifiedFT tr) x <> None).
    { intros x Hx. apply (Hn x). rewrite drun_snoc. unfold dstep. simpl.
      destruct a; auto; unfold upd; destruct (Nat.eqb_spec x x0); subst; rewrite ?Hx; auto. }
    destruct (IH Hn') as (g & Hs & Hg). rewrite drun_snoc in *. unfold dstep in *. rewrite drun_sync in *. rewrite clk_snoc.
    pose proof (clocks_correct false tr F) as I. simpl in Hn |- *.
    assert (Hd : forall x, VInv VerifiedFT tr x (g x)).
    { intros x. pose proof (detector_state_inv VerifiedFT tr x F) as H. now rewrite Hg in H. }
    destruct a as [t x|t x|t m|t m|t u|t u|t];
    try (exists g; split; [eapply steps_snoc; [exact Hs|constructor]|exact Hg]).
    + specialize (Hn x). unfold upd in Hn. rewrite Nat.eqb_refl, Hg in Hn.
      assert (Hr : rd_rule (C (ck tr) t) t (g x) (vft_rd (C (ck tr) t) t (g x))).
      { apply rd_rule_fun; [apply (inv_pos _ _ I)|]. intros [u k] ER Eu. simpl in *. subst u.
        destruct (Nat.eq_dec k 0) as [->|Hk]; [lia|].
        destruct (vi_Rb _ _ _ _ (Hd x) t k) as (j & Hb & <-).
        { simpl. unfold vft_repR. rewrite ER. unfold repE. split; [lia|auto]. }
        apply (inv_own _ _ _ _ I Hb). }
      destruct (vft_rd (C (ck tr) t) t (g x)) as [v|] eqn:Ev; [|congruence].
      exists (upd g x v). split; [eapply steps_snoc; [exact Hs|now constructor]|].
      intros y. unfold upd. destruct (Nat.eqb_spec y x); [subst; now rewrite Hg|apply Hg].
    + specialize (Hn x). unfold upd in Hn. rewrite Nat.eqb_refl, Hg in Hn.
      pose proof (wr_rule_fun (C (ck tr) t) t (g x)) as Hr.
      destruct (vft_wr (C (ck tr) t) t (g x)) as [v|] eqn:Ev; [|congruence].
      exists (upd g x v). split; [eapply steps_snoc; [exact Hs|now constructor]|].
      intros y. unfold upd. destruct (Nat.eqb_spec y x); [subst; now rewrite Hg|apply Hg].
Qed.

(** Theorem 3.1 of 001. *)
Theorem verifiedft_theorem_3_1 tr : feasible tr -> (race_free tr <-> exists S, steps S0 tr S).
Proof.
  intros F. split.
  - intros H. rewrite <- (sound_and_complete VerifiedFT tr F) in H.
    destruct (drun_steps tr F H) as (g & Hs & _). eauto.
  - intros [S Hs] x Hr. destruct (steps_vruns tr S Hs) as (_ & f & Hf & Ef).
    apply (vruns_precise tr f x Hf F) in Hr. rewrite Ef in Hr. discriminate.
Qed.
