(** Run on sets of positions, the synchronisation rules compute happens-before exactly, channels included. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Clocks ChannelTrace ChannelSync.

Section Exact.
Variable cap : chan -> nat.
Notation exact := (exact cap).
Notation kT := (kT cap). Notation kL := (kL cap). Notation kX := (kX cap). Notation kF := (kF cap). Notation kB := (kB cap).
Notation newS := (newS cap). Notation newC := (newC cap).
Notation step n a s := (csync pbot pjoin (mark n a s) a).

Lemma mark_T tr s a : exact tr s -> forall v i, sT (mark (length tr) a s) v i <-> kT tr v i \/ (acts a v /\ i = length tr).
Proof.
  intros E v i. simpl. pose proof (ex_T _ _ _ E v i) as T. rewrite <- actsb_true.
  destruct (actsb a v); unfold pjoin; rewrite T; [tauto|]. split; [auto|]. intros [K|[K _]]; [auto|discriminate].
Qed.

(** The set that an operation of thread t publishes. *)
Lemma published tr s a t : exact tr s -> (forall v, acts a v <-> v = t) ->
  forall i, sT (mark (length tr) a s) t i <-> newS tr a i.
Proof.
  intros E Ha i. rewrite (mark_T tr s a E). unfold ChannelSync.newS. rewrite new_start. split.
  - intros [K|[_ ->]]; [right; exists t; split; auto; now apply Ha|auto].
  - intros [->|(v & Hv & K)]; [right; split; auto; now apply Ha|]. apply Ha in Hv. subst. auto.
Qed.

Lemma head_F tr s c : exact tr s -> nrecvs tr c < nsends tr c -> forall i, head pbot (sF s c) i <-> kF tr c (nrecvs tr c) i.
Proof.
  intros E Hl i. pose proof (ex_Fl _ _ _ E c) as El. pose proof (ex_F _ _ _ E c 0) as H.
  destruct (sF s c) as [|e q]; simpl in *; [lia|]. rewrite (H e eq_refl i). now rewrite Nat.add_0_r.
Qed.
Lemma head_B tr s c : exact tr s -> nsends tr c < nrecvs tr c + cap c -> cap c <= nsends tr c ->
  forall i, head pbot (sB s c) i <-> kB tr c (nsends tr c - cap c) i.
Proof.
  intros E Hl Hc i. pose proof (ex_Bl _ _ _ E c) as El. pose proof (ex_B _ _ _ E c 0) as H.
  destruct (sB s c) as [|e q]; simpl in *; [lia|]. rewrite (H e eq_refl i). now rewrite Nat.add_0_r.
Qed.

Lemma T_step tr s a : exact tr s -> cok cap tr a -> forall v i, sT (step (length tr) a s) v i <-> kT (tr ++ [a]) v i.
Proof.
  intros E [_ Hok] v i. rewrite kT_snoc. unfold ChannelSync.newC. rewrite new_completion.
  pose proof (mark_T tr s a E) as M.
  assert (P : forall t, (forall v, acts a v <-> v = t) -> forall i, sT (mark (length tr) a s) t i <-> newS tr a i)
    by (intros; now apply published).
  assert (Own : forall v i, acts a v -> kT tr v i -> newS tr a i) by (intros; apply new_start; eauto).
  fold (newS tr a i). set (s' := mark (length tr) a s) in *.
  assert (Q : sL s' = sL s /\ sX s' = sX s /\ sU s' = sU s /\ sF s' = sF s /\ sB s' = sB s) by (repeat split).
  clearbody s'. destruct Q as (QL & QX & QU & QF & QB).
  assert (Oth : forall v i, ~ acts a v -> (sT s' v i <-> kT tr v i)) by (intros v0 i0 Hn; rewrite M; tauto).
  assert (Hf : forall w, (forall t0, a <> CFork t0 w) -> ~ exists s0, a = CFork s0 w) by (intros w H [s0 ->]; now apply (H s0)).
  (* what a thread learns alone *)
  assert (One : forall t (k : pset), (forall v, acts a v <-> v = t) -> (forall i, k i <-> learnt cap tr a i) -> (forall s0 w, a <> CFork s0 w) ->
     (upd (sT s') t (pjoin (sT s' t) k) v i <->
      kT tr v i \/ acts a v /\ (newS tr a i \/ learnt cap tr a i) \/ (exists s0, a = CFork s0 v) /\ newS tr a i)).
  { intros t k Ha Hk Hnf. assert (NF : ~ exists s0, a = CFork s0 v) by (intros [s0 E0]; now apply (Hnf s0 v)).
    unfold upd. destruct (Nat.eqb_spec v t) as [->|Hne].
    - unfold pjoin. rewrite (P t Ha i), (Hk i). assert (acts a t) by now apply Ha. specialize (Own t i). tauto.
    - assert (~ acts a v) by (rewrite Ha; auto). rewrite (Oth v i) by auto. tauto. }
  (* who learns nothing *)
  assert (None_ : forall t, (forall v, acts a v <-> v = t) -> (~ learnt cap tr a i) -> (forall s0 w, a <> CFork s0 w) ->
     (sT s' v i <-> kT tr v i \/ acts a v /\ (newS tr a i \/ learnt cap tr a i) \/ (exists s0, a = CFork s0 v) /\ newS tr a i)).
  { intros t Ha Hk Hnf. assert (NF : ~ exists s0, a = CFork s0 v) by (intros [s0 E0]; now apply (Hnf s0 v)).
    destruct (Nat.eq_dec v t) as [->|Hne].
    - rewrite (P t Ha i). assert (acts a t) by now apply Ha. specialize (Own t i). tauto.
    - assert (~ acts a v) by (rewrite Ha; auto). rewrite (Oth v i) by auto. tauto. }
  destruct a as [t x|t x|t m|t m|t u|t u|t c|t c|t u c|t c|t c]; simpl csync.
  - apply (None_ t); simpl; auto; try tauto; discriminate.
  - apply (None_ t); simpl; auto; try tauto; discriminate.
  - apply (One t); simpl; auto; try tauto; try discriminate. intros i0. rewrite QL. apply (ex_L _ _ _ E).
  - apply (None_ t); simpl; auto; try tauto; discriminate.
  - (* fork *) simpl sT. unfold upd. destruct (Nat.eqb_spec v u) as [->|Hne].
    + unfold pjoin. rewrite (P t) by (simpl; tauto). rewrite M. simpl acts. simpl learnt.
      assert (exists s0, CFork t u = CFork s0 u) by eauto.
      assert (u = t /\ i = length tr -> newS tr (CFork t u) i) by (intros [_ ->]; apply new_start; auto). tauto.
    + assert (~ exists s0, CFork t u = CFork s0 v) by (intros [s0 [=]]; congruence). simpl learnt.
      destruct (Nat.eq_dec v t) as [->|Hv].
      * rewrite (P t) by (simpl; tauto). specialize (Own t i eq_refl). simpl. tauto.
      * rewrite (Oth v i) by (simpl; auto). simpl. tauto.
  - (* join *) assert (Ju : forall i, sT s' u i <-> kT tr u i \/ (u = t /\ i = length tr)) by (intros; rewrite M; simpl; tauto).
    simpl sT. unfold upd. destruct (Nat.eqb_spec v t) as [->|Hne].
    + unfold pjoin. rewrite (P t) by (simpl; tauto). rewrite Ju. simpl acts. simpl learnt.
      assert (i = length tr -> newS tr (CJoin t u) i) by (intros ->; apply new_start; auto).
      assert (~ exists s0, CJoin t u = CFork s0 t) by (intros [s0 [=]]).
      specialize (Own t i eq_refl). tauto.
    + rewrite (Oth v i) by (simpl; auto). assert (~ exists s0, CJoin t u = CFork s0 v) by (intros [s0 [=]]). simpl. tauto.
  - (* send *) simpl in Hok. pose proof (ex_U _ _ _ E c) as EU. rewrite QU. destruct (sU s c) as [|n] eqn:EUc.
    + apply (One t); simpl; auto; try tauto; try discriminate. intros i0.
      assert (Hc : cap c <= nsends tr c) by lia. rewrite QB.
      rewrite (head_B tr s c E) by (auto; lia). tauto.
    + apply (None_ t); simpl; auto; try tauto; try discriminate. lia.
  - (* receive *) apply (One t); simpl; auto; try tauto; try discriminate. intros i0.
    rewrite QF. now apply head_F.
  - (* rendezvous *) simpl sT. assert (~ exists s0, CRend t u c = CFork s0 v) by (intros [s0 [=]]).
    assert (N : pjoin (sT s' t) (sT s' u) i <-> newS tr (CRend t u c) i).
    { unfold pjoin. rewrite !M. unfold ChannelSync.newS. rewrite new_start. simpl. split.
      - intros [[K|[_ K]]|[K|[_ K]]]; eauto.
      - intros [K|(w & Hw & K)]; [auto 6|]. destruct Hw; subst; auto. }
    unfold upd. destruct (Nat.eqb_spec v u) as [->|Hu]; [|destruct (Nat.eqb_spec v t) as [->|Ht]].
    + rewrite N. specialize (Own u i (or_intror eq_refl)). simpl. tauto.
    + rewrite N. specialize (Own t i (or_introl eq_refl)). simpl. tauto.
    + rewrite (Oth v i) by (simpl; tauto). simpl. tauto.
  - apply (None_ t); simpl; auto; try tauto; discriminate.
  - apply (One t); simpl; auto; try tauto; try discriminate. intros i0. rewrite QX. apply (ex_X _ _ _ E).
Qed.

Lemma nth_error_app_inv {A} (l : list A) a k e : nth_error (l ++ [a]) k = Some e ->
  (k < length l /\ nth_error l k = Some e) \/ (k = length l /\ e = a).
Proof. apply nth_error_snoc_inv. Qed.

Theorem psets_exact tr : cfeasible cap tr -> exact tr (psets cap tr).
Proof.
  induction 1 as [|tr a F E Hok].
  - assert (N : forall j (b : cop), nth_error [] j <> Some b) by (intros [|j] b; discriminate).
    constructor; unfold psets; simpl; intros; try lia;
    try (split; [intros []|intros (j & b & Hb & _); now apply N in Hb]);
    try (destruct k; discriminate). all: unfold nsends, nrecvs; simpl; lia.
  - rewrite psets_snoc. set (s := psets cap tr) in *.
    pose proof (T_step tr s a E Hok) as ET.
    assert (P : forall t, (forall v, acts a v <-> v = t) -> forall i, sT (mark (length tr) a s) t i <-> newS tr a i)
      by (intros; now apply published).
    assert (NL : forall m, (forall t, a <> CRel t m) -> forall i, kL (tr ++ [a]) m i <-> kL tr m i).
    { intros m Hn i. rewrite kL_snoc. split; [intros [K|[[t ->] _]]; auto; now elim (Hn t)|auto]. }
    assert (NX : forall m, (forall t, a <> CClose t m) -> forall i, kX (tr ++ [a]) m i <-> kX tr m i).
    { intros m Hn i. rewrite kX_snoc. split; [intros [K|[[t ->] _]]; auto; now elim (Hn t)|auto]. }
    assert (NF : forall c n i, (forall t, a = CSend t c -> n <> nsends tr c) -> (kF (tr ++ [a]) c n i <-> kF tr c n i)).
    { intros c n i Hn. rewrite kF_snoc. split; [intros [K|[[t ->] [-> _]]]; auto; now elim (Hn t)|auto]. }
    assert (NB : forall c n i, (forall t, a = CRecv t c -> n <> nrecvs tr c) -> (kB (tr ++ [a]) c n i <-> kB tr c n i)).
    { intros c n i Hn. rewrite kB_snoc. split; [intros [K|[[t ->] [-> _]]]; auto; now elim (Hn t)|auto]. }
    destruct E as [IT IL IX IU IFl IF IBl IB].
    constructor; auto; clear ET IT.
    + (* L *) intros m i. destruct a as [t x|t x|t m'|t m'|t u|t u|t c|t c|t u c|t c|t c];
      try (rewrite NL by discriminate; cbn; try destruct (sU s c); apply IL).
      cbn [csync sL]. unfold upd. destruct (Nat.eqb_spec m m') as [->|Hne].
      * rewrite (P t) by (simpl; tauto). rewrite kL_snoc. split; [right; split; eauto|].
        intros [K|[_ K]]; auto. destruct Hok as [_ Hok]. simpl in Hok.
        apply new_start. right. exists t. split; [reflexivity|]. eapply cholder_knows; eauto.
      * rewrite NL by (intros; congruence). apply IL.
    + (* X *) intros c' i. destruct a as [t x|t x|t m'|t m'|t u|t u|t c|t c|t u c|t c|t c];
      try (rewrite NX by discriminate; cbn; try destruct (sU s c); apply IX).
      cbn [csync sX]. unfold upd. destruct (Nat.eqb_spec c' c) as [->|Hne].
      * rewrite (P t) by (simpl; tauto). rewrite kX_snoc. split; [right; split; eauto|].
        intros [K|[_ K]]; auto. destruct Hok as [_ Hok]. simpl in Hok. exfalso. apply Hok.
        destruct K as (j & w & Hb & _). exists w. eapply nth_error_In; eauto.
      * rewrite NX by (intros; congruence). apply IX.
    + (* U *) intros c'. rewrite nsends_snoc. destruct a as [t x|t x|t m'|t m'|t u|t u|t c|t c|t u c|t c|t c];
      cbn [is_send]; rewrite ?Nat.add_0_r; try (apply IU).
      pose proof (IU c) as E. cbn. change (sU (mark (length tr) (CSend t c) s)) with (sU s). rewrite (Nat.eqb_sym c c').
      destruct (sU s c) eqn:EU; cbn; unfold upd; rewrite ?IU; destruct (Nat.eqb_spec c' c); subst; lia.
    + (* length of F *) intros c'. rewrite nsends_snoc, nrecvs_snoc. specialize (IFl c').
      destruct a as [t x|t x|t m'|t m'|t u|t u|t c|t c|t u c|t c|t c]; cbn; try lia; cbn in *; rewrite ?(Nat.eqb_sym c c').
      * destruct (sU s c); cbn; unfold upd; destruct (Nat.eqb_spec c' c); subst; rewrite ?app_length; simpl; lia.
      * unfold upd. destruct Hok as [_ Hok]. destruct (Nat.eqb_spec c' c); subst; [|lia]. simpl in Hok. destruct (sF s c); simpl in *; lia.
    + (* F *) intros c' k e Hk i. rewrite nrecvs_snoc. specialize (IFl c').
      destruct a as [t x|t x|t m'|t m'|t u|t u|t c|t c|t u c|t c|t c];
      try (cbn [is_recv]; rewrite Nat.add_0_r; rewrite NF by discriminate; cbn in Hk; now apply IF).
      * (* send *) cbn [is_recv]. rewrite Nat.add_0_r.
        assert (Hk' : nth_error (upd (sF s) c (sF s c ++ [sT (mark (length tr) (CSend t c) s) t]) c') k = Some e)
          by (revert Hk; cbn; destruct (sU s c); cbn; auto).
        clear Hk. unfold upd in Hk'. destruct (Nat.eqb_spec c' c) as [->|Hne].
        { apply nth_error_app_inv in Hk' as [[Hl Hk]|[-> ->]].
          - rewrite NF by (intros; lia). now apply IF.
          - rewrite (P t) by (simpl; tauto). rewrite kF_snoc. split.
            + intros K. right. split; [eauto|]. split; [lia|auto].
            + intros [K|[_ [_ K]]]; auto. apply kF_lt in K. lia. }
        { rewrite NF by (intros ? [= <-]; congruence). now apply IF. }
      * (* receive *) cbn in Hk. cbn [is_recv]. rewrite (Nat.eqb_sym c c'). rewrite NF by discriminate. unfold upd in Hk. destruct (Nat.eqb_spec c' c) as [->|Hne].
        { rewrite <- Nat.add_assoc. apply IF. destruct (sF s c); simpl in Hk; [destruct k; discriminate|exact Hk]. }
        { rewrite Nat.add_0_r. now apply IF. }
    + (* length of B *) intros c'. rewrite nsends_snoc, nrecvs_snoc. specialize (IBl c'). pose proof (IU c') as EU.
      destruct a as [t x|t x|t m'|t m'|t u|t u|t c|t c|t u c|t c|t c]; cbn; try lia; cbn in *; rewrite ?(Nat.eqb_sym c c').
      * destruct Hok as [_ [_ Hok]]. destruct (Nat.eqb_spec c' c) as [->|Hne].
        { rewrite EU. destruct (cap c - nsends tr c) eqn:Ed; cbn; unfold upd; rewrite ?Nat.eqb_refl; [|lia].
          destruct (sB s c); simpl in *; lia. }
        { apply Nat.eqb_neq in Hne. destruct (sU s c); cbn; unfold upd; rewrite ?Hne; lia. }
      * unfold upd. destruct (Nat.eqb_spec c' c); subst; rewrite ?app_length; simpl; lia.
    + (* B *) intros c' k e Hk i. rewrite nsends_snoc. specialize (IBl c').
      destruct a as [t x|t x|t m'|t m'|t u|t u|t c|t c|t u c|t c|t c];
      try (cbn [is_send]; rewrite Nat.add_0_r; rewrite NB by discriminate; cbn in Hk; now apply IB).
      * (* send *) cbn [is_send]. rewrite NB by discriminate. rewrite (Nat.eqb_sym c c'). destruct Hok as [_ [_ Hok]]. pose proof (IU c) as EU.
        revert Hk. cbn. change (sU (mark (length tr) (CSend t c) s)) with (sU s).
        destruct (sU s c) as [|n] eqn:Eu; cbn; intros Hk.
        { unfold upd in Hk. destruct (Nat.eqb_spec c' c) as [->|Hne]; [|rewrite Nat.add_0_r; now apply IB].
          replace (nsends tr c + 1 - cap c + k) with (nsends tr c - cap c + S k) by lia.
          apply IB. destruct (sB s c); simpl in Hk; [destruct k; discriminate|exact Hk]. }
        { destruct (Nat.eqb_spec c' c) as [->|Hne]; [|rewrite Nat.add_0_r; now apply IB].
          replace (nsends tr c + 1 - cap c + k) with (nsends tr c - cap c + k) by lia. now apply IB. }
      * (* receive *) cbn [is_send]. rewrite Nat.add_0_r. cbn in Hk. unfold upd in Hk. destruct (Nat.eqb_spec c' c) as [->|Hne].
        { apply nth_error_app_inv in Hk as [[Hl Hk]|[-> ->]].
          - rewrite NB by (intros; lia). now apply IB.
          - change (if t =? t then pjoin (sT s t) (fun i0 => i0 = length tr) else sT s t) with (sT (mark (length tr) (CRecv t c) s) t).
            rewrite (P t) by (simpl; tauto). rewrite kB_snoc. split.
            + intros K. right. split; [eauto|]. split; [lia|auto].
            + intros [K|[_ [_ K]]]; auto. apply kB_lt in K. lia. }
        { rewrite NB by (intros ? [= <-]; congruence). now apply IB. }
Qed.

(** An access happens after exactly what its thread knows. *)
Definition caccess (a : cop) : Prop := match a with CRd _ _ | CWr _ _ => True | _ => False end.
Theorem access_happens_after tr a t i : cfeasible cap tr -> caccess a -> acts a t ->
  (chb cap (tr ++ [a]) i (length tr) <-> sT (psets cap tr) t i).
Proof.
  intros F Hc Ha. rewrite (ex_T _ _ _ (psets_exact tr F)). unfold chb. rewrite new_completion, new_start.
  assert (Hl : forall j b, kT tr b j -> j < length tr).
  { intros j b (k & c & Hk & H). apply nth_error_lt in Hk.
    destruct H as [[_ H]|[_ H]]; apply reach_idx in H; simpl in H; lia. }
  split.
  - intros [Hi [[->|(v & Hv & K)]|K]]; [congruence| |destruct a; contradiction].
    destruct a; try contradiction; simpl in *; subst; auto.
  - intros K. split; [apply Hl in K; lia|]. left. right. eauto.
Qed.
End Exact.
