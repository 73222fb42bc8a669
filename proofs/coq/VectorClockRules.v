(** Theorem 1 of 000 for the rules of its Figure 2 as printed: a relation, one constructor a rule, stuck at a race. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VectorClock.

(** The state (C, L, R, W). *)
Record vcstate := mkVC { vcS_ : sync; vcR : var -> vc; vcW : var -> vc }.
Definition vc_init : vcstate := mkVC sync0 (fun _ => vbot) (fun _ => vbot).

(** Figure 2, with its slip in Write corrected: W'_x = W_x[t := C_t(t)], not R_x[t := C_t(t)]. [jinc]: does Join increment C_u
    (Figure 2), or not (the multi-join variant of Section 3.4)? Exit is that section's operation; the set X is in [MultiJoin]. *)
Inductive vc_step (jinc : bool) : vcstate -> op -> vcstate -> Prop :=
| VC_Acquire s R W t m : vc_step jinc (mkVC s R W) (Acq t m) (mkVC (mkSync (upd (C s) t (vjoin (C s t) (L s m))) (L s)) R W)
| VC_Release s R W t m : vc_step jinc (mkVC s R W) (Rel t m)
    (mkVC (mkSync (upd (C s) t (vinc t (C s t))) (upd (L s) m (C s t))) R W)
| VC_Fork s R W t u : vc_step jinc (mkVC s R W) (Fork t u)
    (mkVC (mkSync (upd (upd (C s) u (vjoin (C s u) (C s t))) t (vinc t (C s t))) (L s)) R W)
| VC_Join s R W t u : vc_step jinc (mkVC s R W) (Join t u)
    (mkVC (let c := upd (C s) t (vjoin (C s t) (C s u)) in
           mkSync (if jinc then upd c u (vinc u (c u)) else c) (L s)) R W)
| VC_Exit s R W t : vc_step jinc (mkVC s R W) (Exit t) (mkVC s R W)
| VC_Read s R W t x : vle (W x) (C s t) ->
    vc_step jinc (mkVC s R W) (Rd t x) (mkVC s (upd R x (upd (R x) t (C s t t))) W)
| VC_ReadNoChange s R W t x : R x t = C s t t -> vc_step jinc (mkVC s R W) (Rd t x) (mkVC s R W)
| VC_Write s R W t x : vle (R x) (C s t) -> vle (W x) (C s t) ->
    vc_step jinc (mkVC s R W) (Wr t x) (mkVC s R (upd W x (upd (W x) t (C s t t))))
| VC_WriteNoChange s R W t x : W x t = C s t t -> vc_step jinc (mkVC s R W) (Wr t x) (mkVC s R W).

Section Runs.
Context {St : Type} (step : St -> op -> St -> Prop).
Inductive runs : St -> trace -> St -> Prop :=
| runs_nil s : runs s [] s
| runs_snoc s tr s1 a s2 : runs s tr s1 -> step s1 a s2 -> runs s (tr ++ [a]) s2.

Lemma runs_snoc_inv s tr a s2 : runs s (tr ++ [a]) s2 -> exists s1, runs s tr s1 /\ step s1 a s2.
Proof.
  intros H. remember (tr ++ [a]) as l eqn:E. destruct H as [s|s tr' s1 a' s2 H1 H2]; [destruct tr; discriminate|].
  apply app_inj_tail in E as [-> ->]. eauto.
Qed.
Lemma runs_nil_inv s s2 : runs s [] s2 -> s2 = s.
Proof. intros H. remember [] as l eqn:E. destruct H as [s|s tr' s1 a' s2 H1 H2]; [auto|destruct tr'; discriminate]. Qed.
End Runs.

Lemma vc_step_sync j s R W a s' : vc_step j (mkVC s R W) a s' -> vcS_ s' = sync_step j s a.
Proof. inversion 1; reflexivity. Qed.

(** ** The function of [VectorClock] computes these rules. *)
Definition VCj (j : bool) : detector := {|
  jinc := j; VS := vcS; v0 := ([], []); rdv := vc_rd; wrv := vc_wr;
  repR := fun s => repV (fst s); repW := fun s => repV (snd s);
  o_v0 := o_v0 VectorClock; o_rd_none := o_rd_none VectorClock; o_rd_some := o_rd_some VectorClock;
  o_wr_none := o_wr_none VectorClock; o_wr_some := o_wr_some VectorClock |}.

Definition same (v : option vcS) (R W : vc) : Prop :=
  exists r w, v = Some (r, w) /\ (forall u, lget r u = R u) /\ (forall u, lget w u = W u).

Lemma vc_rd_step j s R W t x st' r w :
  vc_step j (mkVC s R W) (Rd t x) st' -> (forall u, lget r u = R x u) -> (forall u, lget w u = W x u) ->
  same (vc_rd (C s t) t (r, w)) (vcR st' x) (vcW st' x) /\ (forall y, y <> x -> vcR st' y = R y /\ vcW st' y = W y).
Proof.
  intros St Hr Hw. unfold vc_rd, same. inversion St as [| | | | |s' R' W' t' x' HW| s' R' W' t' x' HR| |]; subst; simpl; unfold upd; rewrite ?Nat.eqb_refl.
  - split; [|intros y Hy; apply Nat.eqb_neq in Hy; rewrite ?Hy; auto].
    destruct (Nat.eqb_spec (lget r t) (C s t t)) as [E|E].
    + exists r, w. repeat split; auto. intros u. rewrite Hr. destruct (Nat.eqb_spec u t); subst; auto. now rewrite <- Hr.
    + assert (El : lle w (C s t) = true) by (apply lle_true; intros u; rewrite Hw; auto). rewrite El.
      eexists; eexists; repeat split; auto. intros u. rewrite lget_lset. destruct (Nat.eqb_spec u t); subst; auto.
  - split; auto. rewrite Hr, HR, Nat.eqb_refl. exists r, w. auto.
Qed.

Lemma vc_wr_step j s R W t x st' r w :
  vc_step j (mkVC s R W) (Wr t x) st' -> (forall u, lget r u = R x u) -> (forall u, lget w u = W x u) ->
  same (vc_wr (C s t) t (r, w)) (vcR st' x) (vcW st' x) /\ (forall y, y <> x -> vcR st' y = R y /\ vcW st' y = W y).
Proof.
  intros St Hr Hw. unfold vc_wr, same. inversion St as [| | | | | | |s' R' W' t' x' HR HW|s' R' W' t' x' HW]; subst; simpl; unfold upd; rewrite ?Nat.eqb_refl.
  - split; [|intros y Hy; apply Nat.eqb_neq in Hy; rewrite ?Hy; auto].
    destruct (Nat.eqb_spec (lget w t) (C s t t)) as [E|E].
    + exists r, w. repeat split; auto. intros u. rewrite Hw. destruct (Nat.eqb_spec u t); subst; auto. now rewrite <- Hw.
    + assert (El : lle w (C s t) = true) by (apply lle_true; intros u; rewrite Hw; auto).
      assert (Er : lle r (C s t) = true) by (apply lle_true; intros u; rewrite Hr; auto). rewrite El, Er. simpl.
      eexists; eexists; repeat split; auto. intros u. rewrite lget_lset. destruct (Nat.eqb_spec u t); subst; auto.
  - split; auto. rewrite Hw, HW, Nat.eqb_refl. exists r, w. auto.
Qed.

Lemma vc_runs_drun j tr st : runs (vc_step j) vc_init tr st ->
  vcS_ st = clk j tr /\ forall x, same (dvar _ (drun (VCj j) tr) x) (vcR st x) (vcW st x).
Proof.
  remember vc_init as I0 eqn:EI. induction 1 as [s|s tr s1 a s2 Hs IH St]; subst.
  - split; auto. intros x. exists [], []. repeat split; intros; apply lget_nil.
  - destruct (IH eq_refl) as [Es Hx]. destruct s1 as [s R W]. simpl in Es. subst s.
    split; [rewrite clk_snoc; eapply vc_step_sync; eauto|].
    intros y. rewrite drun_snoc. unfold dstep. rewrite drun_sync. simpl in *.
    destruct a as [t x|t x|t m|t m|t u|t u|t]; try (inversion St; subst; apply Hx).
    + unfold upd. destruct (Nat.eqb_spec y x) as [->|Hne].
      * destruct (Hx x) as (r & w & -> & Hr & Hw). eapply vc_rd_step; eauto.
      * destruct (Hx x) as (r & w & _ & Hr & Hw).
        destruct (vc_rd_step _ _ _ _ _ _ _ _ _ St Hr Hw) as [_ Ho]. destruct (Ho y Hne) as [-> ->]. apply Hx.
    + unfold upd. destruct (Nat.eqb_spec y x) as [->|Hne].
      * destruct (Hx x) as (r & w & -> & Hr & Hw). eapply vc_wr_step; eauto.
      * destruct (Hx x) as (r & w & _ & Hr & Hw).
        destruct (vc_wr_step _ _ _ _ _ _ _ _ _ St Hr Hw) as [_ Ho]. destruct (Ho y Hne) as [-> ->]. apply Hx.
Qed.

Lemma dvar_some_before D tr a : (forall x, dvar _ (drun D (tr ++ [a])) x <> None) -> forall x, dvar _ (drun D tr) x <> None.
Proof.
  intros Hn x Hx. apply (Hn x). rewrite drun_snoc. unfold dstep. simpl.
  destruct a; auto; unfold upd; destruct (Nat.eqb_spec x x0); subst; rewrite ?Hx; auto.
Qed.

Lemma drun_vc_runs j tr : (forall x, dvar _ (drun (VCj j) tr) x <> None) -> exists st, runs (vc_step j) vc_init tr st.
Proof.
  induction tr as [|a tr IH] using rev_ind; intros Hn; [exists vc_init; constructor|].
  destruct (IH (dvar_some_before _ _ _ Hn)) as [st Hs]. destruct (vc_runs_drun j tr st Hs) as [Es Hx].
  destruct st as [s R W]. simpl in Es, Hx. subst s.
  assert (exists st', vc_step j (mkVC (clk j tr) R W) a st') as [st' St].
  { destruct a as [t x|t x|t m|t m|t u|t u|t]; try (eexists; constructor; fail).
    - specialize (Hn x). rewrite drun_snoc in Hn. unfold dstep in Hn. rewrite drun_sync in Hn. simpl in Hn. unfold upd in Hn.
      rewrite Nat.eqb_refl in Hn. destruct (Hx x) as (r & w & E & Hr & Hw). rewrite E in Hn. simpl in Hn.
      destruct (Nat.eqb_spec (lget r t) (C (clk j tr) t t)) as [Eq|_]; [eexists; apply VC_ReadNoChange; now rewrite <- Hr|].
      destruct (lle w (C (clk j tr) t)) eqn:El; [|congruence]. rewrite lle_true in El.
      eexists; apply VC_Read. intros u. rewrite <- Hw. auto.
    - specialize (Hn x). rewrite drun_snoc in Hn. unfold dstep in Hn. rewrite drun_sync in Hn. simpl in Hn. unfold upd in Hn.
      rewrite Nat.eqb_refl in Hn. destruct (Hx x) as (r & w & E & Hr & Hw). rewrite E in Hn. simpl in Hn.
      destruct (Nat.eqb_spec (lget w t) (C (clk j tr) t t)) as [Eq|_]; [eexists; apply VC_WriteNoChange; now rewrite <- Hw|].
      destruct (lle w (C (clk j tr) t)) eqn:El; [|simpl in Hn; congruence].
      destruct (lle r (C (clk j tr) t)) eqn:Er; [|simpl in Hn; congruence]. rewrite lle_true in El, Er.
      eexists; apply VC_Write; intros u; [rewrite <- Hr|rewrite <- Hw]; auto. }
  exists st'. eapply runs_snoc; eauto.
Qed.

Lemma vc_runs_iff j tr : feasible tr -> ((exists st, runs (vc_step j) vc_init tr st) <-> race_free tr).
Proof.
  intros F. rewrite <- (sound_and_complete (VCj j) tr F). split.
  - intros [st Hs] x Hx. destruct (vc_runs_drun j tr st Hs) as [_ H]. destruct (H x) as (r & w & E & _). congruence.
  - apply drun_vc_runs.
Qed.

(** Theorem 1 of 000: VectorClock runs to the end of a feasible trace if and only if the trace has no race. *)
Theorem vectorclock_theorem_1 tr : feasible tr -> ((exists st, runs (vc_step true) vc_init tr st) <-> race_free tr).
Proof. apply vc_runs_iff. Qed.
