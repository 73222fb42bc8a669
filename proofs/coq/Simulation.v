(** FastTrack by simulation, as 000 Section 3.3.1 does it: Definitions 1-3, Lemma 1 (a bisimulation) and Theorem 2. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Detector Vectors VectorClock VectorClockRules.

(** ** FastTrack, Figure 3 *)

(** R_x is an epoch or a vector clock; here vectors are functions, as in the paper. [ebot] is the paper's bottom epoch. *)
Inductive readset := RE (e : epoch) | RV (v : vc).
Record ftstate := mkFT { ftS : sync; ftR : var -> readset; ftW : var -> epoch }.
Definition ft_init : ftstate := mkFT sync0 (fun _ => RE ebot) (fun _ => ebot).

(** e <= V, in constant time. *)
Definition ep_le (e : epoch) (v : vc) : Prop := snd e <= v (fst e).

(** The other rules are those of VectorClock. Deviation: [FT_ReadShare] has the premise R_x </= C_t, which Figure 3 lacks. Without it the
    rule can be taken for a second read of the same thread, where [t := C_t(t), u := c] with u = t forgets one of the two; the original
    FastTrack has the premise, and so has the Rust code. *)
Inductive ft_step : ftstate -> op -> ftstate -> Prop :=
| FT_Sync s R W a : (forall x, ~ accesses x a) -> ft_step (mkFT s R W) a (mkFT (sync_step true s a) R W)
| FT_ReadSameEpoch s R W t x : R x = RE (t, C s t t) -> ft_step (mkFT s R W) (Rd t x) (mkFT s R W)
| FT_ReadShared s R W t x v : R x = RV v -> ep_le (W x) (C s t) ->
    ft_step (mkFT s R W) (Rd t x) (mkFT s (upd R x (RV (upd v t (C s t t)))) W)
| FT_ReadExclusive s R W t x e : R x = RE e -> ep_le e (C s t) -> ep_le (W x) (C s t) ->
    ft_step (mkFT s R W) (Rd t x) (mkFT s (upd R x (RE (t, C s t t))) W)
| FT_ReadShare s R W t x u c : R x = RE (u, c) -> ~ ep_le (u, c) (C s t) -> ep_le (W x) (C s t) ->
    ft_step (mkFT s R W) (Rd t x) (mkFT s (upd R x (RV (upd (upd vbot t (C s t t)) u c))) W)
| FT_WriteSameEpoch s R W t x : W x = (t, C s t t) -> ft_step (mkFT s R W) (Wr t x) (mkFT s R W)
| FT_WriteExclusive s R W t x e : R x = RE e -> ep_le e (C s t) -> ep_le (W x) (C s t) ->
    ft_step (mkFT s R W) (Wr t x) (mkFT s R (upd W x (t, C s t t)))
| FT_WriteShared s R W t x v : R x = RV v -> vle v (C s t) -> ep_le (W x) (C s t) ->
    ft_step (mkFT s R W) (Wr t x) (mkFT s (upd R x (RE ebot)) (upd W x (t, C s t t))).

(** ** The relation *)

(** V' is one of the clocks of the state: C_u for some u or L_m for some m. *)
Definition clock_of (s : sync) (v : vc) : Prop := (exists u, v = C s u) \/ (exists m, v = L s m).

(** Definition 1. *)
Definition emulates_for (e : epoch) (V V' : vc) : Prop := ep_le e V' -> vle V V'.
Definition emulates (s : sync) (e : epoch) (V : vc) : Prop := forall V', clock_of s V' -> emulates_for e V V'.

(** Definition 2. The thread t is the same for all clocks of the state: with one for each, acquires would not preserve the relation. *)
Definition partially_for (t : tid) (V0 V V' : vc) : Prop :=
  (forall u, V0 u = 0 -> V0 t <= V' t -> V u <= V' u) /\
  (forall u, V0 u <> 0 -> V0 u <= V' u -> V u <= V' u).
Definition partially_emulates (s : sync) (V0 V : vc) : Prop := exists t, forall V', clock_of s V' -> partially_for t V0 V V'.

(** Definition 3, for one variable. *)
Definition at_most (r : readset) (V : vc) : Prop :=
  match r with RE (t, c) => c <= V t | RV v => vle v V end.
Record sim_var (s : sync) (R W : vc) (R' : readset) (W' : epoch) : Prop := {
  sv_W : W (fst W') = snd W' /\ emulates s W' W;
  sv_le : at_most R' R;
  sv_bot : R' = RE ebot -> emulates s W' R;
  sv_ep : forall e, R' = RE e -> e <> ebot -> R (fst e) = snd e /\ emulates s e R;
  sv_vec : forall v, R' = RV v -> partially_emulates s v R }.
Definition sim (a : vcstate) (b : ftstate) : Prop :=
  ftS b = vcS_ a /\ forall x, sim_var (vcS_ a) (vcR a x) (vcW a x) (ftR b x) (ftW b x).

(** What VectorClock keeps true of its states, and Lemma 1 needs: a thread is ahead of what others know of it; nothing remembered is from
    the future; and who has read x in its present epoch knows all writes to x. *)
Record wf (a : vcstate) : Prop := {
  wf_C : forall t u, t <> u -> C (vcS_ a) u t < C (vcS_ a) t t;
  wf_L : forall t m, L (vcS_ a) m t < C (vcS_ a) t t;
  wf_R : forall x t, vcR a x t <= C (vcS_ a) t t;
  wf_W : forall x t, vcW a x t <= C (vcS_ a) t t;
  wf_read : forall x t, vcR a x t = C (vcS_ a) t t -> vle (vcW a x) (C (vcS_ a) t) }.

Ltac upds := unfold upd, vjoin, vinc, upd, vbot in *;
  repeat (match goal with
    | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst
    | H : context [?a =? ?b] |- _ => destruct (Nat.eqb_spec a b); subst end); try congruence.

Lemma wf_init : wf vc_init.
Proof. constructor; simpl; intros; upds; lia. Qed.

Lemma wf_step a o b : wf a -> vc_step true a o b -> wf b.
Proof.
  intros [HC HL HR HW Hr] St. inversion St as [s R W t m|s R W t m|s R W t u|s R W t u|s R W t|s R W t x Hx|s R W t x Hx|s R W t x Hx Hx'|s R W t x Hx]; subst; simpl in *.
  - (* acquire *) constructor; simpl; intros.
    + pose proof (HC t0 u H). pose proof (HL t0 m). upds; lia.
    + pose proof (HL t0 m0). upds; lia.
    + pose proof (HR x t0). upds; lia.
    + pose proof (HW x t0). upds; lia.
    + intros u. assert (E : C s t t = Nat.max (C s t t) (L s m t)) by (pose proof (HL t m); lia).
      upds; [rewrite <- E in H; specialize (Hr _ _ H u); simpl in Hr; lia|now apply Hr].
  - (* release *) constructor; simpl; intros.
    + pose proof (HC t0 u H). upds; lia.
    + pose proof (HL t0 m0). pose proof (HC t0 t). upds; try lia.
    + pose proof (HR x t0). upds; lia.
    + pose proof (HW x t0). upds; lia.
    + pose proof (HR x t0). intros u. upds; try lia; now apply Hr.
  - (* fork *) constructor; simpl; intros.
    + pose proof (HC t0 u0 H). pose proof (HC t0 t). pose proof (HC t0 u). upds; lia.
    + pose proof (HL t0 m). upds; lia.
    + pose proof (HR x t0). upds; lia.
    + pose proof (HW x t0). upds; lia.
    + pose proof (HR x t0). intros w. assert (t <> u -> C s t u < C s u u) by (intros; apply HC; auto).
      upds; try lia; [|now apply Hr].
      match goal with K : R x ?v = _ |- _ => assert (E : R x v = C s v v) by lia; specialize (Hr _ _ E w); simpl in Hr; lia end.
  - (* join *) constructor; simpl; intros.
    + pose proof (HC t0 u0 H). pose proof (HC t0 t). pose proof (HC t0 u). pose proof (HC u t). upds; lia.
    + pose proof (HL t0 m). upds; lia.
    + pose proof (HR x t0). upds; lia.
    + pose proof (HW x t0). upds; lia.
    + pose proof (HR x t0). intros w. assert (t <> u -> C s u t < C s t t) by (intros; apply HC; auto).
      upds; try lia; try (now apply Hr).
      match goal with K : R x ?v = _ |- _ => assert (E : R x v = C s v v) by lia; specialize (Hr _ _ E w); simpl in Hr; lia end.
  - constructor; auto.
  - (* read *) constructor; simpl; intros; auto.
    + pose proof (HR x0 t0). upds; lia.
    + unfold upd in H. destruct (Nat.eqb_spec x0 x); [|now apply Hr]. subst x0.
      destruct (Nat.eqb_spec t0 t); [|now apply Hr]. subst t0. exact Hx.
  - constructor; auto.
  - (* write *) constructor; simpl; intros; auto.
    + pose proof (HW x0 t0). upds; lia.
    + intros w. unfold upd. destruct (Nat.eqb_spec x0 x) as [->|]; [|now apply Hr].
      destruct (Nat.eqb_spec w t) as [->|]; [|now apply Hr].
      destruct (Nat.eq_dec t0 t) as [->|Hne]; [lia|]. exfalso. specialize (Hx t0). specialize (HC t0 t Hne). simpl in *. lia.
  - constructor; auto.
Qed.

(** ** Synchronisation preserves emulation: every new clock is an old one, a join of two, or has its owner's entry incremented *)
Inductive derived (s : sync) : vc -> Prop :=
| d_old v : clock_of s v -> derived s v
| d_join v w : derived s v -> derived s w -> derived s (vjoin v w)
| d_inc t v : derived s v -> C s t t <= v t -> derived s (vinc t v).

Lemma emulates_derived s e V v : emulates s e V -> snd e <= C s (fst e) (fst e) -> derived s v -> emulates_for e V v.
Proof.
  intros He Hle. induction 1 as [v Hv|v w _ IH1 _ IH2|t v _ IH Hc]; unfold emulates_for, ep_le in *.
  - now apply He.
  - intros H u. unfold vjoin in *. destruct (Nat.max_dec (v (fst e)) (w (fst e))) as [E|E]; rewrite E in H.
    + specialize (IH1 H u). lia.
    + specialize (IH2 H u). lia.
  - intros H u. assert (snd e <= v (fst e)) as H'.
    { unfold vinc, upd in H. destruct (Nat.eqb_spec (fst e) t) as [Et|]; [rewrite Et in *; lia|auto]. }
    specialize (IH H' u). unfold vinc, upd. destruct (Nat.eqb_spec u t); subst; lia.
Qed.

Lemma partially_derived s p V0 V v :
  (forall V', clock_of s V' -> partially_for p V0 V V') -> (forall t, V0 t <= C s t t) -> derived s v -> partially_for p V0 V v.
Proof.
  intros He Hle. induction 1 as [v Hv|v w _ [I1 I1'] _ [I2 I2']|t v _ [I I'] Hc].
  - now apply He.
  - unfold partially_for, vjoin. split; intros u H0 H.
    + destruct (Nat.max_dec (v p) (w p)) as [E|E]; rewrite E in H; [specialize (I1 u H0 H)|specialize (I2 u H0 H)]; lia.
    + destruct (Nat.max_dec (v u) (w u)) as [E|E]; rewrite E in H; [specialize (I1' u H0 H)|specialize (I2' u H0 H)]; lia.
  - unfold partially_for, vinc, upd. split; intros u H0 H.
    + assert (V0 p <= v p) as H' by (specialize (Hle t); destruct (Nat.eqb_spec p t); subst; lia).
      specialize (I u H0 H'). destruct (Nat.eqb_spec u t); subst; lia.
    + assert (V0 u <= v u) as H' by (specialize (Hle t); destruct (Nat.eqb_spec u t); subst; lia).
      specialize (I' u H0 H'). destruct (Nat.eqb_spec u t); subst; lia.
Qed.

Lemma sync_derived s a v : clock_of (sync_step true s a) v -> derived s v.
Proof.
  assert (HC : forall t, derived s (C s t)) by (intros; apply d_old; left; eauto).
  assert (HL : forall m, derived s (L s m)) by (intros; apply d_old; right; eauto).
  assert (HI : forall t v, derived s v -> C s t t <= v t -> derived s (vinc t v)) by (intros; apply d_inc; auto).
  assert (HJ : forall t u, derived s (vjoin (C s t) (C s u))) by (intros; now apply d_join).
  intros [[w ->]|[m' ->]]; destruct a as [t x|t x|t m|t m|t u|t u|t]; simpl; auto; unfold upd;
  repeat (match goal with |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst end); auto.
  - now apply d_join.
  - apply HI; auto. unfold vjoin. lia.
Qed.

Lemma clock_cases s t v : (exists u, v = C s u) \/ (exists m, v = L s m) ->
  (forall u, t <> u -> C s u t < C s t t) -> (forall m, L s m t < C s t t) -> C s t t <= v t -> v = C s t.
Proof.
  intros [[u ->]|[m ->]] HC HL H.
  - destruct (Nat.eq_dec t u) as [->|Hne]; auto. specialize (HC u Hne). lia.
  - specialize (HL m). lia.
Qed.

(** The present epoch of t emulates whatever C_t covers. *)
Lemma now_emulates a t V : wf a -> vle V (C (vcS_ a) t) -> emulates (vcS_ a) (t, C (vcS_ a) t t) V.
Proof.
  intros [HC HL _ _ _] HV V' Hc H. unfold ep_le in H. simpl in H.
  rewrite (clock_cases _ t V' Hc (fun u Hu => HC t u Hu) (fun m => HL t m) H). exact HV.
Qed.

(** With the write check passed, the epoch or vector of reads says what R_x says. *)
Lemma reads_known a R' W' x t : wf a -> sim_var (vcS_ a) (vcR a x) (vcW a x) R' W' ->
  ep_le W' (C (vcS_ a) t) ->
  match R' with RE e => ep_le e (C (vcS_ a) t) | RV v => vle v (C (vcS_ a) t) end -> vle (vcR a x) (C (vcS_ a) t).
Proof.
  intros Hwf [SW Sle Sb Se Sv] HW HR. assert (Hc : clock_of (vcS_ a) (C (vcS_ a) t)) by (left; eauto).
  destruct R' as [e|v].
  - destruct (eeq e ebot) eqn:E.
    + apply eeq_true in E. subst. apply (Sb eq_refl _ Hc HW).
    + destruct (Se e eq_refl) as [_ He]; [intros ->; discriminate|]. apply (He _ Hc HR).
  - destruct (Sv v eq_refl) as [p Hp]. destruct (Hp _ Hc) as [P0 P1]. intros u.
    destruct (Nat.eq_dec (v u) 0) as [E|E]; [now apply P0|now apply P1].
Qed.

(** The checks of VectorClock imply those of FastTrack. *)
Lemma write_known a R' W' x t : sim_var (vcS_ a) (vcR a x) (vcW a x) R' W' ->
  vle (vcW a x) (C (vcS_ a) t) -> ep_le W' (C (vcS_ a) t).
Proof. intros [[E _] _ _ _ _] H. unfold ep_le. rewrite <- E. apply H. Qed.

(** After FastTrack's read rules, and VectorClock's [VC_Read] or [VC_ReadNoChange], which then comes to the same. *)
Lemma sim_after_read a x t R' W' r1 V1 :
  wf a -> 1 <= C (vcS_ a) t t -> sim_var (vcS_ a) (vcR a x) (vcW a x) R' W' -> ep_le W' (C (vcS_ a) t) ->
  (forall u, V1 u = if u =? t then C (vcS_ a) t t else vcR a x u) ->
  match R' with
  | RE (u, c) => if eeq (u, c) (t, C (vcS_ a) t t) then r1 = R' \/ r1 = RE (t, C (vcS_ a) t t) else
                 (ep_le (u, c) (C (vcS_ a) t) /\ r1 = RE (t, C (vcS_ a) t t)) \/
                 (~ ep_le (u, c) (C (vcS_ a) t) /\ r1 = RV (upd (upd vbot t (C (vcS_ a) t t)) u c))
  | RV v => r1 = RV (upd v t (C (vcS_ a) t t))
  end ->
  sim_var (vcS_ a) V1 (vcW a x) r1 W'.
Proof.
  intros Hwf Hpos Sv0 HW HV Hr. set (s := vcS_ a) in *. pose proof Sv0 as [SW Sle Sb Se Sv].
  assert (Hnow : ep_le (match R' with RE e => e | RV _ => ebot end) (C s t) -> (exists e, R' = RE e) ->
                 sim_var s V1 (vcW a x) (RE (t, C s t t)) W').
  { intros HR [e ->]. assert (K : vle (vcR a x) (C s t)) by (apply (reads_known a (RE e) W'); auto).
    assert (K' : vle V1 (C s t)) by (intros u; rewrite HV; destruct (Nat.eqb_spec u t); subst; auto).
    constructor; auto.
    - simpl. rewrite HV, Nat.eqb_refl. auto.
    - intros [= _ E]. lia.
    - intros e' [= <-] _. simpl. rewrite HV, Nat.eqb_refl. split; auto. now apply now_emulates.
    - discriminate. }
  destruct R' as [[u c]|v].
  - destruct (eeq (u, c) (t, C s t t)) eqn:EE.
    + apply eeq_true in EE. injection EE as -> ->.
      assert (r1 = RE (t, C s t t)) as -> by tauto. apply Hnow; [unfold ep_le; simpl; auto|eauto].
    + destruct Hr as [[Hle ->]|[Hle ->]]; [apply Hnow; eauto|].
      unfold ep_le in Hle. simpl in Hle.
      assert (Hut : u <> t). { intros ->. simpl in Sle. pose proof (wf_R _ Hwf x t). fold s in H. lia. }
      assert (Hne : (u, c) <> ebot). { intros [= -> ->]. lia. }
      destruct (Se _ eq_refl Hne) as [ER He]. simpl in ER.
      constructor; auto; try discriminate.
      * intros w. rewrite HV. unfold upd, vbot. destruct (Nat.eqb_spec w u); subst.
        { destruct (Nat.eqb_spec u t); [congruence|lia]. }
        { destruct (Nat.eqb_spec w t); lia. }
      * intros v [= <-]. exists u. intros V' Hc. unfold partially_for, upd, vbot. rewrite Nat.eqb_refl. split; intros w H0 H.
        { rewrite HV. destruct (Nat.eqb_spec w u); subst; [lia|]. destruct (Nat.eqb_spec w t); [lia|]. apply (He V' Hc H). }
        { rewrite HV. destruct (Nat.eqb_spec w u); subst.
          - destruct (Nat.eqb_spec u t); [congruence|auto].
          - destruct (Nat.eqb_spec w t); subst; [auto|congruence]. }
  - subst r1. destruct (Sv v eq_refl) as [p Hp]. simpl in Sle. constructor; auto; try discriminate.
    + intros w. rewrite HV. unfold upd. destruct (Nat.eqb_spec w t); auto.
    + intros v' [= <-]. exists p. intros V' Hc. destruct (Hp V' Hc) as [P0 P1]. unfold partially_for, upd. split; intros w H0 H.
      * rewrite HV. destruct (Nat.eqb_spec w t); subst; [lia|]. destruct (Nat.eqb_spec p t); subst; [|auto].
        assert (E : V' = C s t) by (apply clock_cases; auto; intros; [now apply (wf_C _ Hwf)|now apply (wf_L _ Hwf)]).
        subst V'. apply P0; auto. pose proof (wf_R _ Hwf x t). specialize (Sle t). fold s in H1. lia.
      * rewrite HV. destruct (Nat.eqb_spec w t); subst; auto.
Qed.

Lemma sim_after_write a x t R' W' r1 V1 :
  wf a -> sim_var (vcS_ a) (vcR a x) (vcW a x) R' W' ->
  vle (vcW a x) (C (vcS_ a) t) -> vle (vcR a x) (C (vcS_ a) t) ->
  (forall u, V1 u = if u =? t then C (vcS_ a) t t else vcW a x u) ->
  match R' with RE _ => r1 = R' | RV v => r1 = RE ebot end ->
  sim_var (vcS_ a) (vcR a x) V1 r1 (t, C (vcS_ a) t t).
Proof.
  intros Hwf [SW Sle Sb Se Sv] HW HR HV Hr.
  assert (K' : vle V1 (C (vcS_ a) t)) by (intros u; rewrite HV; destruct (Nat.eqb_spec u t); subst; auto).
  constructor.
  - simpl. rewrite HV, Nat.eqb_refl. split; auto. now apply now_emulates.
  - destruct R' as [e|v]; subst r1; auto. simpl. lia.
  - intros _. now apply now_emulates.
  - intros e E Hne. destruct R' as [e'|v]; subst r1; [auto|]. congruence.
  - intros v E. destruct R' as [e'|v']; subst r1; discriminate.
Qed.

Lemma sim_var_sync a R' W' x o : wf a -> sim_var (vcS_ a) (vcR a x) (vcW a x) R' W' ->
  sim_var (sync_step true (vcS_ a) o) (vcR a x) (vcW a x) R' W'.
Proof.
  intros Hwf [[EW SW] Sle Sb Se Sv].
  assert (E : forall e V, emulates (vcS_ a) e V -> snd e <= C (vcS_ a) (fst e) (fst e) -> emulates (sync_step true (vcS_ a) o) e V).
  { intros e V He Hle V' Hc. eapply emulates_derived; eauto. eapply sync_derived; eauto. }
  assert (HW : snd W' <= C (vcS_ a) (fst W') (fst W')) by (rewrite <- EW; apply (wf_W _ Hwf)).
  constructor; auto.
  - intros e Ee Hne. destruct (Se e Ee Hne) as [Er He]. split; auto. apply E; auto. rewrite <- Er. apply (wf_R _ Hwf).
  - intros v Ev. destruct (Sv v Ev) as [p Hp]. exists p. intros V' Hc. eapply partially_derived; eauto.
    + subst. simpl in Sle. intros t. specialize (Sle t). pose proof (wf_R _ Hwf x t). lia.
    + eapply sync_derived; eauto.
Qed.

(** ** Lemma 1: the relation is a bisimulation (between well-formed states) *)
Theorem lemma_1_forward a b o b' : wf a -> (forall t, 1 <= C (vcS_ a) t t) -> sim a b -> ft_step b o b' ->
  exists a', vc_step true a o a' /\ sim a' b'.
Proof.
  intros Hwf Hpos [Es Hx] St. destruct a as [s R W]. simpl in *.
  destruct St as [s' R' W' o Ho|s' R' W' t x E|s' R' W' t x v E HW|s' R' W' t x e E HR HW|s' R' W' t x u c E HR HW
                 |s' R' W' t x E|s' R' W' t x e E HR HW|s' R' W' t x v E HR HW]; simpl in *; subst s'.
  - exists (mkVC (sync_step true s o) R W). split.
    + destruct o; try constructor; exfalso; eapply Ho; reflexivity.
    + split; auto. intros x. simpl. apply (sim_var_sync (mkVC s R W) (R' x) (W' x) x o Hwf (Hx x)).
  - (* read same epoch *) exists (mkVC s R W). pose proof (Hx x) as [_ _ _ Se _]. rewrite E in Se.
    destruct (Se _ eq_refl) as [ER _]; [intros [= _ K]; specialize (Hpos t); lia|]. simpl in ER.
    split; [now apply VC_ReadNoChange|split; auto].
  - (* read shared *) exists (mkVC s (upd R x (upd (R x) t (C s t t))) W).
    pose proof (Hx x) as [[_ SW] _ _ _ _]. split; [apply VC_Read; apply SW; [left; eauto|auto]|]. split; auto.
    intros y. simpl. unfold upd at 1 3. destruct (Nat.eqb_spec y x) as [->|]; [|apply Hx].
    apply (sim_after_read (mkVC s R W) x t (R' x) (W' x)); auto. rewrite E. auto.
  - (* read exclusive *) exists (mkVC s (upd R x (upd (R x) t (C s t t))) W).
    pose proof (Hx x) as [[_ SW] _ _ _ _]. split; [apply VC_Read; apply SW; [left; eauto|auto]|]. split; auto.
    intros y. simpl. unfold upd at 1 3. destruct (Nat.eqb_spec y x) as [->|]; [|apply Hx].
    apply (sim_after_read (mkVC s R W) x t (R' x) (W' x)); auto. rewrite E. destruct e as [u c].
    simpl. destruct (eeq (u, c) (t, C s t t)); auto.
  - (* read share *) exists (mkVC s (upd R x (upd (R x) t (C s t t))) W).
    pose proof (Hx x) as [[_ SW] _ _ _ _]. split; [apply VC_Read; apply SW; [left; eauto|auto]|]. split; auto.
    intros y. simpl. unfold upd at 1 3. destruct (Nat.eqb_spec y x) as [->|]; [|apply Hx].
    apply (sim_after_read (mkVC s R W) x t (R' x) (W' x)); auto. rewrite E. simpl.
    destruct (eeq (u, c) (t, C s t t)) eqn:EE; auto. apply eeq_true in EE. injection EE as -> ->.
    exfalso. apply HR. unfold ep_le. simpl. auto.
  - (* write same epoch *) exists (mkVC s R W). pose proof (Hx x) as [[EW _] _ _ _ _]. rewrite E in EW. simpl in EW.
    split; [now apply VC_WriteNoChange|split; auto].
  - (* write exclusive *) exists (mkVC s R (upd W x (upd (W x) t (C s t t)))). pose proof (Hx x) as Sx. pose proof Sx as [[_ SW] _ _ _ _].
    assert (KW : vle (W x) (C s t)) by (apply SW; [left; eauto|auto]).
    assert (KR : vle (R x) (C s t)).
    { apply (reads_known (mkVC s R W) (R' x) (W' x) x t); auto. rewrite E. auto. }
    split; [now apply VC_Write|]. split; auto.
    intros y. simpl. unfold upd at 1 3. destruct (Nat.eqb_spec y x) as [->|]; [|apply Hx].
    apply (sim_after_write (mkVC s R W) x t (R' x) (W' x)); auto. rewrite E. auto.
  - (* write shared *) exists (mkVC s R (upd W x (upd (W x) t (C s t t)))). pose proof (Hx x) as Sx. pose proof Sx as [[_ SW] _ _ _ _].
    assert (KW : vle (W x) (C s t)) by (apply SW; [left; eauto|auto]).
    assert (KR : vle (R x) (C s t)).
    { apply (reads_known (mkVC s R W) (R' x) (W' x) x t); auto. rewrite E. auto. }
    split; [now apply VC_Write|]. split; auto.
    intros y. simpl. unfold upd at 1 3 4. destruct (Nat.eqb_spec y x) as [->|]; [|apply Hx].
    apply (sim_after_write (mkVC s R W) x t (R' x) (W' x)); auto. rewrite E. auto.
Qed.

(** A read whose writes are known: FastTrack has a rule for it, and ends in a related state. *)
Lemma read_back s R W R' W' t x V1 : wf (mkVC s R W) -> 1 <= C s t t ->
  (forall x, sim_var s (R x) (W x) (R' x) (W' x)) -> vle (W x) (C s t) ->
  (forall u, V1 u = if u =? t then C s t t else R x u) ->
  exists b', ft_step (mkFT s R' W') (Rd t x) b' /\ ftS b' = s /\
    forall y, sim_var s (if y =? x then V1 else R y) (W y) (ftR b' y) (ftW b' y).
Proof.
  intros Hwf Hpos Hx KW HV.
  assert (HW : ep_le (W' x) (C s t)) by (apply (write_known (mkVC s R W) (R' x) (W' x) x t); auto).
  assert (G : forall r1, ft_step (mkFT s R' W') (Rd t x) (mkFT s (upd R' x r1) W') ->
              sim_var s V1 (W x) r1 (W' x) ->
              exists b', ft_step (mkFT s R' W') (Rd t x) b' /\ ftS b' = s /\
                forall y, sim_var s (if y =? x then V1 else R y) (W y) (ftR b' y) (ftW b' y)).
  { intros r1 St Sr. exists (mkFT s (upd R' x r1) W'). split; [exact St|split; [reflexivity|]]. intros y. simpl. unfold upd.
    destruct (Nat.eqb_spec y x) as [->|]; auto. }
  pose proof (fun r1 => sim_after_read (mkVC s R W) x t (R' x) (W' x) r1 V1 Hwf Hpos (Hx x) HW HV) as A. simpl in A.
  destruct (R' x) as [[u c]|v] eqn:E.
  - destruct (eeq (u, c) (t, C s t t)) eqn:EE.
    + apply eeq_true in EE. injection EE as -> ->. exists (mkFT s R' W'). split; [now apply FT_ReadSameEpoch|]. split; auto.
      intros y. simpl. destruct (Nat.eqb_spec y x) as [->|]; auto.
    + destruct (le_lt_dec c (C s t u)) as [Hle|Hlt].
      * apply (G (RE (t, C s t t))); [eapply FT_ReadExclusive; eauto|]. apply A. left. split; auto.
      * assert (~ ep_le (u, c) (C s t)) by (unfold ep_le; simpl; lia).
        eapply G; [eapply FT_ReadShare; eauto|]. apply A. right. split; auto.
  - eapply G; [eapply FT_ReadShared; eauto|]. now apply A.
Qed.

Theorem lemma_1_backward a b o a' : wf a -> (forall t, 1 <= C (vcS_ a) t t) -> sim a b -> vc_step true a o a' ->
  exists b', ft_step b o b' /\ sim a' b'.
Proof.
  intros Hwf Hpos [Es Hx] St. destruct b as [s' R' W']. simpl in Es.
  assert (Sync : forall s R W o, a = mkVC s R W -> (forall x, ~ accesses x o) ->
            a' = mkVC (sync_step true s o) R W -> exists b', ft_step (mkFT s' R' W') o b' /\ sim a' b').
  { intros s R W o0 -> Ho ->. simpl in *. subst s'. eexists. split; [now apply FT_Sync|]. split; auto. intros x. simpl.
    apply (sim_var_sync (mkVC s R W) (R' x) (W' x) x o0 Hwf (Hx x)). }
  inversion St as [s R W t m|s R W t m|s R W t u|s R W t u|s R W t|s R W t x KW|s R W t x KR|s R W t x KR KW|s R W t x KW]; subst; simpl in *;
  try (eapply Sync; eauto; intros; exact id).
  - destruct (read_back s R W R' W' t x (upd (R x) t (C s t t)) Hwf (Hpos t) Hx KW) as (b' & Sb & Eb & Hb); [reflexivity|].
    exists b'. split; [exact Sb|split; [exact Eb|]]. intros y. simpl. specialize (Hb y). unfold upd at 1. destruct (y =? x); auto.
  - pose proof (wf_read _ Hwf x t KR) as KW. simpl in KW.
    destruct (read_back s R W R' W' t x (R x) Hwf (Hpos t) Hx KW) as (b' & Sb & Eb & Hb).
    { intros u. destruct (Nat.eqb_spec u t); subst; auto. }
    exists b'. split; [exact Sb|split; [exact Eb|]]. intros y. simpl. specialize (Hb y). destruct (Nat.eqb_spec y x); subst; auto.
  - assert (HW : ep_le (W' x) (C s t)) by (apply (write_known (mkVC s R W) (R' x) (W' x) x t); auto).
    pose proof (fun r1 => sim_after_write (mkVC s R W) x t (R' x) (W' x) r1 (upd (W x) t (C s t t)) Hwf (Hx x) KW KR (fun u => eq_refl)) as A.
    pose proof (sv_le _ _ _ _ _ (Hx x)) as Hle. destruct (R' x) as [[u c]|v] eqn:E.
    + exists (mkFT s R' (upd W' x (t, C s t t))). split.
      * eapply FT_WriteExclusive; eauto. unfold ep_le. simpl in *. specialize (KR u). lia.
      * split; auto. intros y. simpl. unfold upd at 1 3. destruct (Nat.eqb_spec y x) as [->|]; [|apply Hx].
        rewrite E. now apply A.
    + exists (mkFT s (upd R' x (RE ebot)) (upd W' x (t, C s t t))). split.
      * eapply FT_WriteShared; eauto. intros w. specialize (Hle w). specialize (KR w). lia.
      * split; auto. intros y. simpl. unfold upd at 1 3 4. destruct (Nat.eqb_spec y x) as [->|]; [|apply Hx]. now apply A.
  - exists (mkFT s R' W'). split; [|split; auto]. apply FT_WriteSameEpoch.
    pose proof (Hx x) as [[EW SW] _ _ _ _]. destruct (W' x) as [u c]. simpl in EW.
    pose proof (wf_W _ Hwf x u) as Hu. simpl in Hu.
    assert (K : vle (W x) (C s u)) by (apply SW; [left; eauto|unfold ep_le; simpl; lia]).
    specialize (K t). destruct (Nat.eq_dec t u) as [->|Hne]; [congruence|].
    pose proof (wf_C _ Hwf t u Hne) as Ht. simpl in Ht. lia.
Qed.

(** ** Theorem 2 *)
Lemma sim_init : sim vc_init ft_init.
Proof.
  split; auto. intros x. simpl. assert (E : forall e, emulates sync0 e vbot) by (intros e V' _ _ u; unfold vbot; lia).
  constructor; auto; simpl; try discriminate; try (intros; congruence). unfold vbot. lia.
Qed.

Lemma vc_runs_wf tr a : runs (vc_step true) vc_init tr a -> wf a /\ forall t, 1 <= C (vcS_ a) t t.
Proof.
  remember vc_init as I0 eqn:EI. induction 1 as [s|s tr s1 o s2 Hs IH St]; subst.
  - split; [apply wf_init|]. intros t. simpl. unfold upd. rewrite Nat.eqb_refl. lia.
  - destruct (IH eq_refl) as [Hwf Hpos]. split; [eapply wf_step; eauto|].
    intros t. destruct s1 as [s R W]. rewrite (vc_step_sync _ _ _ _ _ _ St). simpl in *.
    pose proof (Hpos t) as P. destruct o; simpl; auto; upds; lia.
Qed.

Lemma sim_runs tr : (exists b, runs ft_step ft_init tr b) <-> (exists a, runs (vc_step true) vc_init tr a).
Proof.
  assert (F : forall b, runs ft_step ft_init tr b -> exists a, runs (vc_step true) vc_init tr a /\ sim a b).
  { induction tr as [|o tr IH] using rev_ind; intros b Hb.
    - apply runs_nil_inv in Hb as ->. exists vc_init. split; [constructor|apply sim_init].
    - apply runs_snoc_inv in Hb as (b1 & Hb & Sb). destruct (IH _ Hb) as (a1 & Ha & Hs).
      destruct (vc_runs_wf _ _ Ha) as [Hwf Hpos].
      destruct (lemma_1_forward _ _ _ _ Hwf Hpos Hs Sb) as (a' & Sa & Hs'). exists a'. split; auto. eapply runs_snoc; eauto. }
  assert (B : forall a, runs (vc_step true) vc_init tr a -> exists b, runs ft_step ft_init tr b /\ sim a b).
  { clear F. induction tr as [|o tr IH] using rev_ind; intros a Ha.
    - apply runs_nil_inv in Ha as ->. exists ft_init. split; [constructor|apply sim_init].
    - apply runs_snoc_inv in Ha as (a1 & Ha & Sa). destruct (IH _ Ha) as (b1 & Hb & Hs).
      destruct (vc_runs_wf _ _ Ha) as [Hwf Hpos].
      destruct (lemma_1_backward _ _ _ _ Hwf Hpos Hs Sa) as (b' & Sb & Hs'). exists b'. split; auto. eapply runs_snoc; eauto. }
  split; intros [z Hz]; [destruct (F _ Hz) as (a & ? & _)|destruct (B _ Hz) as (b & ? & _)]; eauto.
Qed.

(** Theorem 2 of 000: FastTrack runs to the end of a feasible trace if and only if the trace has no race. *)
Theorem fasttrack_theorem_2 tr : feasible tr -> ((exists b, runs ft_step ft_init tr b) <-> race_free tr).
Proof. intros F. rewrite sim_runs. now apply vectorclock_theorem_1. Qed.
