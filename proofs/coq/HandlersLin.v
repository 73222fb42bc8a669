(** The concurrent detector is linearizable and precise: its history has a feasible trace, in which every verdict is the rules', and it reports x iff that trace has a race on x. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors OnlineRules Handlers HandlersVar HandlersSync HandlersEffect.

(** Every verdict in the history is that of the rules, done one after the other in the order of effects. *)
Inductive verdicts_right : list hev -> Prop :=
| vd_nil : verdicts_right []
| vd_lin h a b : verdicts_right h -> b = verdict (lins h) a -> verdicts_right (h ++ [HLin a b])
| vd_inv h t a : verdicts_right h -> verdicts_right (h ++ [HInv t a])
| vd_ret h t b : verdicts_right h -> verdicts_right (h ++ [HRet t b]).

Lemma lins_app h e : lins (h ++ e) = lins h ++ lins e.
Proof. induction h as [|[] h IH]; simpl; rewrite ?IH; auto. Qed.

(** Where a thread's calls stand, from where it is. *)
Definition phase_at (g : gstate) (t : tid) : phase :=
  match gP g t with
  | Idle => QIdle
  | Ret b => QDone b
  | PU false x e r => QDone (snd (o_rd (gC g t) t (mkO e r)))
  | PA w x | PB w x _ _ | PC w x _ _ | PL w x | PM w x _ | PN w x _ _ | PU w x _ _ => QCalled (access w t x)
  | SAcq m _ => QCalled (Acq t m)
  | SRel m _ => QCalled (Rel t m)
  | SRelU _ => QDone true
  | SFork u _ => QCalled (Fork t u)
  | SJoin u _ => QCalled (Join t u)
  end.

Lemma op_eqb_refl a : op_eqb a a = true.
Proof. destruct a; simpl; rewrite ?Nat.eqb_refl; auto. Qed.
Lemma thr_access w t x : thr (access w t x) = t.
Proof. now destruct w. Qed.
Lemma phase_app t h e : phase_of t (h ++ e) = fold_left (next_phase t) e (phase_of t h).
Proof. unfold phase_of. now rewrite fold_left_app. Qed.

(** Events of t change nobody else's phase. *)
Definition by_thread (t : tid) (e : hev) : Prop := match e with HInv u _ | HRet u _ => u = t | HLin a _ => thr a = t end.
Lemma phase_other t v h e : v <> t -> Forall (by_thread t) e -> phase_of v (h ++ e) = phase_of v h.
Proof.
  intros Hv. rewrite phase_app. generalize (phase_of v h). induction e as [|b e IH]; intros q F; simpl; auto. inversion F; subst.
  rewrite IH by auto. assert (E : (t =? v) = false) by (apply Nat.eqb_neq; congruence).
  destruct b; simpl in *; subst; rewrite E; auto.
Qed.

Section Lin.
Variable ver : version.
Variable N : nat.

Record GI (g : gstate) (h : list hev) : Prop := {
  gi_S : SI N g (lins h);
  gi_V : VI (gC g) (gV g) (gP g) (orun (lins h));
  gi_right : verdicts_right h;
  gi_phase : forall t, phase_of t h = phase_at g t }.

Lemma GI_init begun : GI (ginit begun) [].
Proof.
  constructor.
  - constructor; simpl; auto; try discriminate; try (intros; congruence).
    + constructor.
    + intros u t. destruct (begun u); discriminate.
    + intros u [t []].
    + intros v i. unfold expC. simpl. destruct (begun v); reflexivity.
    + intros v i Hv Hi. unfold upd, vbot. destruct (Nat.eqb_spec i v); [lia|auto].
  - constructor; simpl; auto; try discriminate. intros x t. split; discriminate.
  - constructor.
  - reflexivity.
Qed.

(** Phases of others stay, if their clocks do while they are in an access. *)
Lemma phase_at_other g t v C' L' V' H' S' p' : v <> t -> (pvar (gP g v) <> None -> C' v = gC g v) ->
  phase_at (mkG C' L' V' (upd (gP g) t p') H' S') v = phase_at g v.
Proof.
  intros Hv Hc. unfold phase_at. simpl. assert (E : upd (gP g) t p' v = gP g v) by (unfold upd; destruct (Nat.eqb_spec v t); congruence).
  rewrite E. destruct (gP g v) eqn:Ep; auto. destruct w; auto. rewrite Hc; [auto|discriminate].
Qed.
Lemma phase_at_me g t C' L' V' H' S' p' : phase_at (mkG C' L' V' (upd (gP g) t p') H' S') t = phase_at (mkG C' L' V' (fun _ => p') H' S') t.
Proof. unfold phase_at. simpl. unfold upd. now rewrite Nat.eqb_refl. Qed.

Lemma orun_sync tr a : (forall x, ~ accesses x a) -> orun (tr ++ [a]) = orun tr.
Proof. intros H. rewrite orun_snoc. destruct a; simpl; auto; elim (H x); reflexivity. Qed.

(** A step of synchronisation: what remains to be shown beside SI. *)
Lemma GI_sync g h t C' L' H' S' p' e : GI g h ->
  pvar (gP g t) = None -> (pvar p' = None \/ exists w x, p' = PA w x) ->
  (forall v, v <> t -> pvar (gP g v) <> None -> C' v = gC g v) ->
  SI N (mkG C' L' (gV g) (upd (gP g) t p') H' S') (lins (h ++ e)) ->
  orun (lins (h ++ e)) = orun (lins h) -> verdicts_right (h ++ e) -> Forall (by_thread t) e ->
  phase_of t (h ++ e) = phase_at (mkG C' L' (gV g) (upd (gP g) t p') H' S') t ->
  GI (mkG C' L' (gV g) (upd (gP g) t p') H' S') (h ++ e).
Proof.
  intros I Hp Hp' Hc HS Ho Hr Hb Hph. constructor; auto.
  - simpl. rewrite Ho. eapply VI_frame; [apply I|]. intros v. unfold upd. destruct (Nat.eqb_spec v t) as [->|Hv]; [right; auto|left; auto].
  - intros v. destruct (Nat.eq_dec v t) as [->|Hv]; auto. rewrite (phase_other t) by auto. rewrite (gi_phase _ _ I v).
    symmetry. apply phase_at_other; auto.
Qed.

Lemma vr_app h e : verdicts_right h -> (forall a b, e <> [HLin a b]) -> length e <= 1 -> verdicts_right (h ++ e).
Proof. intros H He Hl. destruct e as [|[t a|a b|t b] [|]]; simpl in Hl; try lia; try (constructor; auto); [now rewrite app_nil_r|now elim (He a b)]. Qed.

Lemma clocks_eq g h t : GI g h -> gS g t = Running -> neutral (gP g t) = true -> forall i, gC g t i = C (ck (lins h)) t i.
Proof. intros I. apply (clock_of_neutral N). apply I. Qed.

Lemma rule_ext w c c' t s : (forall i, c i = c' i) -> rule w c t s = rule w c' t s.
Proof. intros H. destruct w; simpl; [now apply o_wr_ext|now apply o_rd_ext]. Qed.

Lemma verdict_access tr w t x : verdict tr (access w t x) = snd (rule w (C (ck tr) t) t (orun tr x)).
Proof. unfold verdict. destruct w; reflexivity. Qed.
Lemma orun_access tr w t x : orun (tr ++ [access w t x]) = effect w (C (ck tr) t) t x (orun tr).
Proof. rewrite orun_snoc. destruct w; reflexivity. Qed.

Theorem GI_step g h e g' : GI g h -> gstep ver N g e g' -> GI g' (h ++ e).
Proof.
  intros I St. pose proof (gi_S _ _ I) as S. pose proof (gi_V _ _ I) as V. pose proof (gi_right _ _ I) as Vr.
  assert (Idl : forall t, gP g t = Idle -> phase_of t h = QIdle) by (intros t E; rewrite (gi_phase _ _ I t); unfold phase_at; now rewrite E).
  destruct St as [t w x Ht Hp Hs|t w x o m' p' Hv As|t m Ht Hp Hs Hh|t m k Hp Hk|t m Hp|t m Ht Hp Hs Hh|t m k Hp Hk|t m Hp|t m Hp
    |t u Ht Hu Hp Hs Hn|t u k Hp Hk|t u Hp|t u Ht Hu Hp Hs Hx|t u k Hp Hk|t u Hp|t Ht Hp Hs|t b Hp].
  - (* call of an access *) apply GI_sync; auto.
    + now rewrite Hp.
    + right. eauto.
    + rewrite lins_app. simpl. rewrite app_nil_r. apply (SI_neutral N g (lins h)); auto; [now rewrite Hp|apply S].
    + rewrite lins_app. simpl. now rewrite app_nil_r.
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, (Idl t Hp), phase_at_me. simpl. rewrite Nat.eqb_refl, thr_access, Nat.eqb_refl. reflexivity.
  - (* a step of an access *)
    destruct (si_run _ _ _ S t) as [Hs Ht]; [destruct (gP g t); discriminate|].
    assert (Hn : neutral (gP g t) = true) by (destruct (gP g t); try discriminate; reflexivity).
    pose proof (clocks_eq g h t I Hs Hn) as EC. pose proof (si_feas _ _ _ S) as F.
    assert (Hpos : 1 <= gC g t t) by (rewrite EC; apply (inv_pos _ _ (clocks_correct false _ F))).
    pose proof (step_VI ver (gC g) (gV g) (gP g) (orun (lins h)) t w x o m' p' V Hpos Hv As) as V'.
    pose proof (step_verdict ver (gC g) (gV g) (gP g) (orun (lins h)) t w x o m' p' V Hpos Hv As) as Vd.
    assert (Hn' : neutral p' = true /\ p' <> Idle).
    { inversion As; split; try reflexivity; discriminate. }
    assert (Eff : forall b, o = Some b -> effect w (gC g t) t x (orun (lins h)) = orun (lins h ++ [access w t x])).
    { intros b _. rewrite orun_access. unfold effect. now rewrite (rule_ext w _ _ t (orun (lins h) x) EC). }
    assert (Ph : phase_of t h = QCalled (access w t x) \/ (exists e r, gP g t = PU false x e r /\ w = false)).
    { rewrite (gi_phase _ _ I t). unfold phase_at. destruct (gP g t); simpl in Hv; try discriminate; injection Hv as -> ->; auto. destruct w; eauto 6. }
    assert (Frame : forall tr', feasible tr' -> ck tr' = ck (lins h) -> (forall m, holder tr' m = holder (lins h) m) -> (forall u, joined tr' u -> joined (lins h) u) ->
              SI N (mkG (gC g) (gL g) (upd (gV g) x m') (upd (gP g) t p') (gH g) (gS g)) tr').
    { intros tr' F1 F2 F3 F4. destruct Hn'. apply (SI_neutral N g (lins h)); auto. }
    assert (PhO : forall e, Forall (by_thread t) e -> forall v, v <> t -> phase_of v (h ++ e) =
              phase_at (mkG (gC g) (gL g) (upd (gV g) x m') (upd (gP g) t p') (gH g) (gS g)) v).
    { intros e He v Hvt. rewrite (phase_other t) by auto. rewrite (gi_phase _ _ I v). symmetry. apply phase_at_other; auto. }
    destruct o as [b|].
    + (* it takes effect *) specialize (Vd b eq_refl). rewrite (Eff b eq_refl) in V'.
      assert (Ok : ok_next (lins h) (access w t x)).
      { split; [rewrite thr_access; eapply running_not_joined; eauto|]. destruct w; exact Logic.I. }
      constructor; simpl.
      * rewrite lins_app. change (lins [HLin (access w t x) b]) with [access w t x]. apply Frame.
        { now constructor. }
        { rewrite ck_snoc. destruct w; reflexivity. }
        { intros m. simpl. rewrite holder_snoc. destruct w; reflexivity. }
        { intros u K. simpl in K. apply joined_snoc in K as [K|[v K]]; auto. destruct w; discriminate. }
      * rewrite lins_app. exact V'.
      * constructor; auto. rewrite verdict_access, Vd. f_equal. now apply rule_ext.
      * intros v. destruct (Nat.eq_dec v t) as [->|Hvt]; [|apply PhO; auto; repeat constructor; apply thr_access].
        rewrite phase_app, phase_at_me. simpl. rewrite thr_access, Nat.eqb_refl.
        assert (Called : phase_of t h = QCalled (access w t x)).
        { destruct Ph as [Ph|(e & r & Ep & ->)]; auto. rewrite Ep in As. inversion As. }
        rewrite Called, op_eqb_refl.
        inversion As; subst; unfold phase_at; simpl; auto; destruct w0; try discriminate; simpl in *; try congruence;
        match goal with Q : Some _ = Some _ |- _ => injection Q as <- end; auto.
    + (* it does not *) constructor; simpl.
      * rewrite lins_app. simpl. rewrite app_nil_r. apply Frame; auto.
      * rewrite lins_app. simpl. rewrite app_nil_r. exact V'.
      * now rewrite app_nil_r.
      * intros v. destruct (Nat.eq_dec v t) as [->|Hvt]; [|apply PhO; auto].
        rewrite app_nil_r, phase_at_me. rewrite (gi_phase _ _ I t). unfold phase_at.
        inversion As; subst; simpl; auto; try (destruct w0; try discriminate; auto).
  - (* acquire *) apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_acq.
    + rewrite lins_app. simpl. now rewrite app_nil_r.
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, (Idl t Hp), phase_at_me. simpl. now rewrite !Nat.eqb_refl.
  - apply GI_sync; auto.
    + now rewrite Hp.
    + intros v Hv _. unfold upd. destruct (Nat.eqb_spec v t); congruence.
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_acq_entry.
    + now rewrite app_nil_r.
    + now rewrite app_nil_r.
    + rewrite app_nil_r, phase_at_me, (gi_phase _ _ I t). unfold phase_at. now rewrite Hp.
  - apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. now apply SI_acq_done.
    + rewrite lins_app. apply orun_sync. intros x [].
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, phase_at_me, (gi_phase _ _ I t). unfold phase_at. rewrite Hp. simpl. now rewrite !Nat.eqb_refl.
  - (* release *) apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_rel.
    + rewrite lins_app. simpl. now rewrite app_nil_r.
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, (Idl t Hp), phase_at_me. simpl. now rewrite !Nat.eqb_refl.
  - apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_rel_entry.
    + now rewrite app_nil_r.
    + now rewrite app_nil_r.
    + rewrite app_nil_r, phase_at_me, (gi_phase _ _ I t). unfold phase_at. now rewrite Hp.
  - apply GI_sync; auto.
    + now rewrite Hp.
    + intros v Hv _. unfold upd. destruct (Nat.eqb_spec v t); congruence.
    + rewrite lins_app. now apply SI_rel_done.
    + rewrite lins_app. apply orun_sync. intros x [].
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, phase_at_me, (gi_phase _ _ I t). unfold phase_at. rewrite Hp. simpl. now rewrite !Nat.eqb_refl.
  - apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_rel_unlock.
    + now rewrite app_nil_r.
    + now rewrite app_nil_r.
    + rewrite app_nil_r, phase_at_me, (gi_phase _ _ I t). unfold phase_at. now rewrite Hp.
  - (* fork *) apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_fork.
    + rewrite lins_app. simpl. now rewrite app_nil_r.
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, (Idl t Hp), phase_at_me. simpl. now rewrite !Nat.eqb_refl.
  - destruct (si_fork _ _ _ S t u k Hp) as (Hu & _). apply GI_sync; auto.
    + now rewrite Hp.
    + intros v Hv Ha. unfold upd. destruct (Nat.eqb_spec v u) as [->|]; auto. exfalso. apply Ha.
      rewrite (idle N g (lins h) u S); [reflexivity|congruence].
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_fork_entry.
    + now rewrite app_nil_r.
    + now rewrite app_nil_r.
    + rewrite app_nil_r, phase_at_me, (gi_phase _ _ I t). unfold phase_at. now rewrite Hp.
  - apply GI_sync; auto.
    + now rewrite Hp.
    + intros v Hv _. unfold upd. destruct (Nat.eqb_spec v t); congruence.
    + rewrite lins_app. now apply SI_fork_done.
    + rewrite lins_app. apply orun_sync. intros x [].
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, phase_at_me, (gi_phase _ _ I t). unfold phase_at. rewrite Hp. simpl. now rewrite !Nat.eqb_refl.
  - (* join *) apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_join.
    + rewrite lins_app. simpl. now rewrite app_nil_r.
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, (Idl t Hp), phase_at_me. simpl. now rewrite !Nat.eqb_refl.
  - apply GI_sync; auto.
    + now rewrite Hp.
    + intros v Hv _. unfold upd. destruct (Nat.eqb_spec v t); congruence.
    + rewrite lins_app. simpl. rewrite app_nil_r. now apply SI_join_entry.
    + now rewrite app_nil_r.
    + now rewrite app_nil_r.
    + rewrite app_nil_r, phase_at_me, (gi_phase _ _ I t). unfold phase_at. now rewrite Hp.
  - apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. now apply SI_join_done.
    + rewrite lins_app. apply orun_sync. intros x [].
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, phase_at_me, (gi_phase _ _ I t). unfold phase_at. rewrite Hp. simpl. now rewrite !Nat.eqb_refl.
  - (* exit *) constructor; simpl.
    + rewrite lins_app. now apply SI_exit.
    + rewrite lins_app. simpl. rewrite orun_sync by (intros x []). exact V.
    + replace (h ++ [HInv t (Exit t); HLin (Exit t) true; HRet t true]) with (((h ++ [HInv t (Exit t)]) ++ [HLin (Exit t) true]) ++ [HRet t true])
        by (now rewrite <- !app_assoc).
      constructor. constructor; [now constructor|reflexivity].
    + intros v. destruct (Nat.eq_dec v t) as [->|Hv].
      * rewrite phase_app, (Idl t Hp). simpl. rewrite ?Nat.eqb_refl; simpl; rewrite ?Nat.eqb_refl; simpl; rewrite ?Nat.eqb_refl; simpl. unfold phase_at. simpl. now rewrite Hp.
      * rewrite (phase_other t) by (auto; repeat constructor). apply (gi_phase _ _ I v).
  - (* return *) apply GI_sync; auto.
    + now rewrite Hp.
    + rewrite lins_app. simpl. rewrite app_nil_r. apply (SI_neutral N g (lins h)); auto; [now rewrite Hp|congruence|apply S].
    + rewrite lins_app. simpl. now rewrite app_nil_r.
    + now constructor.
    + repeat constructor.
    + rewrite phase_app, phase_at_me, (gi_phase _ _ I t). unfold phase_at. rewrite Hp. simpl. rewrite Nat.eqb_refl. now destruct b.
Qed.

Theorem greach_GI begun g h : greach ver N begun g h -> GI g h.
Proof. induction 1; [apply GI_init|eapply GI_step; eauto]. Qed.

(** Linearizability: in any interleaving each call takes effect once, between its call and its return, and returns the verdict that the rules,
    done one after the other in that order, give; and that order is a feasible trace. *)
Theorem handlers_linearizable begun g h : greach ver N begun g h ->
  well_formed_history h /\ verdicts_right h /\ feasible (lins h).
Proof.
  intros R. pose proof (greach_GI begun g h R) as I. split; [|split; [apply I|apply I]].
  intros t. rewrite (gi_phase _ _ I t). unfold phase_at. destruct (gP g t); try discriminate. destruct w; discriminate.
Qed.

Lemma reported_in_history h x : verdicts_right h -> (reported (lins h) x <-> exists a, accesses x a /\ In (HLin a false) h).
Proof.
  induction 1 as [|h a b H IH E|h t a H IH|h t b H IH].
  - simpl. split; [intros []|intros (a & _ & [])].
  - rewrite lins_app. simpl. rewrite reported_snoc, IH. split.
    + intros [(a' & Ha & Hi)|[Ha Hv]]; [exists a'; split; auto; apply in_or_app; auto|]. exists a. split; auto. apply in_or_app. right. left. congruence.
    + intros (a' & Ha & Hi). apply in_app_or in Hi as [Hi|[[= -> ->]|[]]]; [left; eauto|right; auto].
  - rewrite lins_app. simpl. rewrite app_nil_r, IH. split; intros (a' & Ha & Hi); exists a'; split; auto.
    + apply in_or_app; auto. + apply in_app_or in Hi as [Hi|[Hi|[]]]; [auto|discriminate].
  - rewrite lins_app. simpl. rewrite app_nil_r, IH. split; intros (a' & Ha & Hi); exists a'; split; auto.
    + apply in_or_app; auto. + apply in_app_or in Hi as [Hi|[Hi|[]]]; [auto|discriminate].
Qed.

(** Precision: some access to x came out as a race if and only if the trace of what took effect has a race on x. *)
Theorem handlers_precise begun g h x : greach ver N begun g h ->
  ((exists a, accesses x a /\ In (HLin a false) h) <-> race_on (lins h) x).
Proof.
  intros R. pose proof (handlers_linearizable begun g h R) as (_ & Vr & F). rewrite <- (reported_in_history h x Vr). now apply online_precise.
Qed.
End Lin.

(** ** An example: two threads write x, each under the variable's own lock but ordered by nothing; the second is told of the race *)
Definition all_begun (t : tid) : bool := true.
Ltac call R t := eapply gr_step in R; [|apply (G_Access V1 2 _ t true 5); [lia|reflexivity|reflexivity]].
Ltac go R t A := eapply gr_step in R; [|eapply (G_Step V1 2 _ t true 5); [reflexivity|cbn; eapply A; try reflexivity]]; cbn in R.
Ltac write R t := call R t; go R t A_GoLock; go R t A_Lock; go R t A_LoadR; go R t A_StoreR; go R t A_Unlock.
Example a_race_is_reported : exists g h, greach V1 2 all_begun g h /\ In (HLin (Wr 1 5) false) h.
Proof.
  pose proof (gr_init V1 2 all_begun) as R. write R 0. write R 1.
  eexists; eexists; split; [exact R|]. cbn. auto 20.
Qed.
