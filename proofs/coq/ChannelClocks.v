(** Vector clocks over locks, threads and channels say exactly what happens before: the clock invariant for messages in flight. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Clocks ChannelTrace ChannelSync ChannelExact HbSets.

(** Who publishes begins a new instant. The Rust code advances a sender or receiver before it learns, not after; what it learns of itself is
    less than it knows ([ci_F], [ci_B]), so that this is the same: [advance_then_learn]. *)
Definition advances (a : cop) (v : tid) : bool :=
  match a with
  | CRel t _ | CFork t _ | CSend t _ | CRecv t _ | CClose t _ => v =? t
  | CRend t u _ => (v =? t) || (v =? u)
  | _ => false
  end.
Definition advance (a : cop) (s : cstate vc) : cstate vc :=
  mkCS (fun t => if advances a t then vinc t (sT s t) else sT s t) (sL s) (sF s) (sB s) (sU s) (sX s).
Definition vstep (s : cstate vc) (a : cop) : cstate vc := advance a (csync vbot vjoin s a).

Lemma advance_then_learn t (c k : vc) : k t <= c t -> forall u, vjoin (vinc t c) k u = vinc t (vjoin c k) u.
Proof. intros H u. unfold vjoin, vinc, upd. destruct (Nat.eqb_spec u t); subst; lia. Qed.

Section Clocks.
Variable cap : chan -> nat.
Notation psets := (psets cap).
Definition cv0 : cstate vc := mkCS (fun t => upd vbot t 1) (fun _ => vbot) (fun _ => []) (fun _ => []) cap (fun _ => vbot).
Definition vclk (tr : ctrace) : cstate vc := fold_left vstep tr cv0.
Lemma vclk_snoc tr a : vclk (tr ++ [a]) = vstep (vclk tr) a.
Proof. unfold vclk. now rewrite fold_left_app. Qed.

(** An access of thread u, and its time: its thread's own clock just before it. *)
Definition access_by_ (a : cop) (u : tid) : Prop := match a with CRd t _ | CWr t _ => t = u | _ => False end.
Definition cts (tr : ctrace) (i : nat) (u : tid) : nat := sT (vclk (firstn i tr)) u u.
Lemma cts_old tr a i u : i < length tr -> cts (tr ++ [a]) i u = cts tr i u.
Proof. intros H. unfold cts. now rewrite firstn_snoc by lia. Qed.
Lemma cts_new tr a u : cts (tr ++ [a]) (length tr) u = sT (vclk tr) u u.
Proof. unfold cts. now rewrite firstn_snoc, firstn_all by lia. Qed.

(** The clock says of every access what the set says. *)
Definition tells (tr : ctrace) (k : vc) (p : pset) : Prop :=
  forall i b u, nth_error tr i = Some b -> access_by_ b u -> (p i <-> cts tr i u <= k u).

(** ... and nobody but u knows u's present instant. *)
Record CInv (tr : ctrace) (s : cstate vc) : Prop := {
  ci_tells : related (tells tr) s (psets tr);
  ci_pos : forall t, 1 <= sT s t t;
  ci_T : forall t u, t <> u -> ~ cjoined tr u -> sT s t u < sT s u u;
  ci_L : forall m u, ~ cjoined tr u -> sL s m u < sT s u u;
  ci_X : forall c u, ~ cjoined tr u -> sX s c u < sT s u u;
  ci_F : forall c k u, In k (sF s c) -> ~ cjoined tr u -> k u < sT s u u;
  ci_B : forall c k u, In k (sB s c) -> ~ cjoined tr u -> k u < sT s u u }.

Lemma cjoined_snoc tr a u : cjoined (tr ++ [a]) u <-> cjoined tr u \/ exists t, a = CJoin t u.
Proof.
  unfold cjoined. split.
  - intros [t H]. apply in_app_or in H as [H|[H|[]]]; eauto.
  - intros [[t H]|[t ->]]; exists t; apply in_or_app; simpl; auto.
Qed.

Lemma in_tl {A} (l : list A) a : In a (tl l) -> In a l.
Proof. destruct l; simpl; auto. Qed.
Lemma in_head (l : list vc) : head vbot l = vbot \/ In (head vbot l) l.
Proof. destruct l; simpl; auto. Qed.

(** A thread knows its own accesses. *)
Lemma own_known tr a t i b : nth_error tr i = Some b -> access_by_ b t -> cfeasible cap (tr ++ [a]) -> sT (psets (tr ++ [a])) t i.
Proof.
  intros Hb Ht F. apply (ex_T _ _ _ (psets_exact cap _ F)). pose proof (nth_error_lt _ _ _ Hb).
  exists i, b. rewrite nth_error_snoc_lt by auto. split; auto. left. split.
  - destruct b; simpl in *; try contradiction; auto.
  - eapply r_step; [constructor|]. apply e_self. rewrite app_length. simpl. lia.
Qed.

(** ** Everybody stays behind *)
Lemma grows s a t : vle (sT s t) (sT (csync vbot vjoin s a) t).
Proof.
  intros i. destruct a as [v x|v x|v m|v m|v w|v w|v c|v c|v w c|v c|v c]; simpl; auto;
  try (destruct (sU s c); simpl); unfold upd, vjoin; repeat (match goal with |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst end); lia.
Qed.

Lemma forall2_self (P : vc -> Prop) q : (forall k, In k q -> P k) -> Forall2 (fun k _ : vc => P k) q q.
Proof. induction q as [|k q IH]; intros H; constructor; [apply H; now left|apply IH; intros; apply H; now right]. Qed.
Lemma forall2_in (P : vc -> Prop) q q' : Forall2 (fun k _ : vc => P k) q q' -> forall k, In k q -> P k.
Proof. induction 1; intros z []; subst; auto. Qed.

(** If every holder has at most c of u, or less than c, so it stays. *)
Lemma bound_step (P : vc -> Prop) s a : P vbot -> (forall k k', P k -> P k' -> P (vjoin k k')) ->
  (forall t, P (sT s t)) -> (forall m, P (sL s m)) -> (forall c, P (sX s c)) ->
  (forall c k, In k (sF s c) -> P k) -> (forall c k, In k (sB s c) -> P k) ->
  let s' := csync vbot vjoin s a in
  (forall t, P (sT s' t)) /\ (forall m, P (sL s' m)) /\ (forall c, P (sX s' c)) /\ (forall c k, In k (sF s' c) -> P k) /\ (forall c k, In k (sB s' c) -> P k).
Proof.
  intros Pb Pj T L X F B s'.
  assert (R : related (fun k _ : vc => P k) s s) by (constructor; auto; intros c; apply forall2_self; eauto).
  apply (related_step vbot vbot vjoin vjoin (fun k _ : vc => P k) Pb (fun k _ k' _ H H' => Pj k k' H H') a) in R.
  destruct R as [T' L' F' B' U' X']. unfold s'. repeat split; auto; intros c k; [apply (forall2_in P _ _ (F' c))|apply (forall2_in P _ _ (B' c))].
Qed.

(** Nobody else sees the clock of u in a step in which u does not publish. *)
Definition without (u : tid) (s : cstate vc) : cstate vc := mkCS (upd (sT s) u vbot) (sL s) (sF s) (sB s) (sU s) (sX s).
Lemma unseen s a u : advances a u = false -> (forall t, a <> CJoin t u) ->
  let s1 := csync vbot vjoin s a in let s0 := csync vbot vjoin (without u s) a in
  (forall t, t <> u -> sT s1 t = sT s0 t) /\ sL s1 = sL s0 /\ sX s1 = sX s0 /\ sF s1 = sF s0 /\ sB s1 = sB s0.
Proof.
  intros Ha Hj. assert (E : forall t, t <> u -> upd (sT s) u vbot t = sT s t) by (intros t Ht; unfold upd; destruct (Nat.eqb_spec t u); congruence).
  assert (Q : forall t v k k', t <> u -> k = k' \/ v = u -> upd (sT s) v k t = upd (upd (sT s) u vbot) v k' t).
  { intros t v k k' Ht [-> | ->]; unfold upd; destruct (Nat.eqb_spec t u); try contradiction; auto. }
  destruct a as [v x|v x|v m|v m|v w|v w|v c|v c|v w c|v c|v c]; simpl in *; try (apply Nat.eqb_neq in Ha; apply Nat.neq_sym in Ha).
  - repeat split; auto. intros. now rewrite E.
  - repeat split; auto. intros. now rewrite E.
  - repeat split; auto. intros t Ht. apply Q; auto. destruct (Nat.eq_dec v u); [auto|left; now rewrite E].
  - rewrite !E by auto. repeat split; auto. intros. now rewrite E.
  - rewrite (E v) by auto. repeat split; auto. intros t Ht. apply Q; auto. destruct (Nat.eq_dec w u); [auto|left; now rewrite E].
  - assert (w <> u) by (intros ->; now apply (Hj v)). rewrite (E w) by auto.
    repeat split; auto. intros t Ht. apply Q; auto. destruct (Nat.eq_dec v u); [auto|left; now rewrite E].
  - rewrite (E v) by auto. destruct (sU s c); simpl; rewrite ?(E v) by auto; repeat split; auto; intros t Ht.
    now rewrite E.
  - rewrite (E v) by auto. repeat split; auto.
  - apply orb_false_iff in Ha as [H1 H2]. apply Nat.eqb_neq in H1, H2. rewrite (E v), (E w) by auto. repeat split; auto.
    intros t Ht. unfold upd. destruct (Nat.eqb_spec t w), (Nat.eqb_spec t v), (Nat.eqb_spec t u); congruence.
  - rewrite (E v) by auto. repeat split; auto. intros. now rewrite E.
  - repeat split; auto. intros t Ht. apply Q; auto. destruct (Nat.eq_dec v u); [auto|left; now rewrite E].
Qed.

Lemma behind_step tr s a u : CInv tr s -> ~ cjoined (tr ++ [a]) u ->
  (forall t, t <> u -> sT (vstep s a) t u < sT (vstep s a) u u) /\
  (forall m, sL (vstep s a) m u < sT (vstep s a) u u) /\
  (forall c, sX (vstep s a) c u < sT (vstep s a) u u) /\
  (forall c k, In k (sF (vstep s a) c) -> k u < sT (vstep s a) u u) /\
  (forall c k, In k (sB (vstep s a) c) -> k u < sT (vstep s a) u u).
Proof.
  intros [_ IP IT IL IX IF IB] Hj.
  assert (J : ~ cjoined tr u) by (intros K; apply Hj; apply cjoined_snoc; auto).
  assert (Jv : forall t, a <> CJoin t u) by (intros t ->; apply Hj; apply cjoined_snoc; eauto).
  pose proof (IP u) as Pu. pose proof (grows s a u u) as G. unfold vstep, advance. cbn [sT sL sX sF sB].
  assert (Oth : forall t, t <> u -> (if advances a t then vinc t (sT (csync vbot vjoin s a) t) else sT (csync vbot vjoin s a) t) u = sT (csync vbot vjoin s a) t u).
  { intros t Ht. destruct (advances a t); auto. unfold vinc, upd. destruct (Nat.eqb_spec u t); congruence. }
  destruct (advances a u) eqn:Ea.
  - (* u has published: everybody has at most its old instant *)
    destruct (bound_step (fun k => k u <= sT s u u) s a) as (T & L & X & F & B).
    + unfold vbot. lia.
    + unfold vjoin. intros. lia.
    + intros t. destruct (Nat.eq_dec t u) as [->|Hn]; [lia|]. specialize (IT t u Hn J). lia.
    + intros m. specialize (IL m u J). lia.
    + intros c. specialize (IX c u J). lia.
    + intros c k K. specialize (IF c k u K J). lia.
    + intros c k K. specialize (IB c k u K J). lia.
    + assert (E : vinc u (sT (csync vbot vjoin s a) u) u = S (sT (csync vbot vjoin s a) u u)) by (unfold vinc, upd; now rewrite Nat.eqb_refl).
      rewrite E. repeat split; intros; [rewrite Oth by auto; specialize (T t)|specialize (L m)|specialize (X c)|specialize (F c k H)|specialize (B c k H)]; simpl in *; lia.
  - destruct (bound_step (fun k => k u < sT s u u) (without u s) a) as (T & L & X & F & B); simpl; auto.
    + unfold vjoin. intros. lia.
    + intros t. unfold upd. destruct (Nat.eqb_spec t u); [unfold vbot; lia|]. now apply IT.
    + intros c k K. eapply IF; eauto.
    + intros c k K. eapply IB; eauto.
    + destruct (unseen s a u Ea Jv) as (ET & EL & EX & EF & EB).
      repeat split; intros.
      * rewrite Oth, ET by auto. specialize (T t). simpl in T. lia.
      * rewrite EL. specialize (L m). simpl in L. lia.
      * rewrite EX. specialize (X c). simpl in X. lia.
      * rewrite EF in H. specialize (F c k H). simpl in F. lia.
      * rewrite EB in H. specialize (B c k H). simpl in B. lia.
Qed.

(** ** The clock invariant *)
Lemma tells_old tr a k p : tells tr k p -> ~ caccess a -> forall n, n = length tr -> tells (tr ++ [a]) k p.
Proof.
  intros H Ha n _ i b u Hb Hu. apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> ->]].
  - rewrite cts_old by auto. eapply H; eauto.
  - elim Ha. destruct a; simpl in *; auto.
Qed.

Theorem clocks_exact tr : cfeasible cap tr -> CInv tr (vclk tr).
Proof.
  induction 1 as [|tr a F I Hok].
  - assert (N : forall j (b : cop), nth_error [] j <> Some b) by (intros [|j] b; discriminate).
    constructor; unfold vclk; simpl.
    + constructor; simpl; auto; intros ? i b u Hb; now apply N in Hb.
    + intros t. unfold upd. rewrite Nat.eqb_refl. lia.
    + intros t u Ht _. unfold upd, vbot. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec u t); [congruence|lia].
    + intros m u _. unfold upd, vbot. rewrite Nat.eqb_refl. lia.
    + intros m u _. unfold upd, vbot. rewrite Nat.eqb_refl. lia.
    + intros c k u [].
    + intros c k u [].
  - assert (F' : cfeasible cap (tr ++ [a])) by now constructor.
    rewrite vclk_snoc. set (s := vclk tr) in *. pose proof (fun u => behind_step tr s a u I) as Bs.
    assert (Dec : caccess a \/ ~ caccess a) by (destruct a; simpl; tauto).
    constructor.
    + destruct Dec as [Hc|Hc].
      * (* an access *) assert (exists t, acts a t /\ access_by_ a t) as (t & Ht & Hat) by (destruct a; try contradiction; simpl; eauto).
        assert (Hv : vstep s a = s).
        { unfold vstep, advance. destruct a; try contradiction; destruct s; reflexivity. }
        assert (Hp : psets (tr ++ [a]) = mark (length tr) a (psets tr)) by (rewrite psets_snoc; destruct a; try contradiction; reflexivity).
        rewrite Hv, Hp. destruct (pset_bound cap tr F (length tr) (le_n _)) as (BT & BL & BX & BF & BB).
        assert (Hj : ~ cjoined tr t) by (destruct Hok as [Hok _]; now apply Hok).
        assert (One : forall k p p', tells tr k p -> (forall i, i <> length tr -> (p' i <-> p i)) -> (p' (length tr) <-> sT s t t <= k t) -> tells (tr ++ [a]) k p').
        { intros k p p' Hk Hpp Hn i b u Hb Hu. apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> ->]].
          - rewrite cts_old, Hpp by lia. eapply Hk; eauto.
          - rewrite cts_new. assert (u = t) by (destruct a; simpl in *; try contradiction; congruence). now subst u. }
        assert (None_ : forall k p, tells tr k p -> ~ p (length tr) -> k t < sT s t t -> tells (tr ++ [a]) k p).
        { intros k p Hk Hn Hl. apply (One k p p); auto; [tauto|]. split; [tauto|lia]. }
        assert (Q : forall q q', Forall2 (tells tr) q q' -> (forall j p, nth_error q' j = Some p -> ~ p (length tr)) -> (forall k, In k q -> k t < sT s t t) -> Forall2 (tells (tr ++ [a])) q q').
        { induction 1 as [|k p q q' Hk Hq IHq]; intros Hn Hl; constructor.
          - apply None_; auto; [apply (Hn 0 p eq_refl)|apply Hl; now left].
          - apply IHq; [intros j p' Hj'; apply (Hn (S j) p' Hj')|intros k' Hk'; apply Hl; now right]. }
        destruct I as [[T L Fq B U X] IP IT IL IX IF IB]. constructor; simpl; auto.
        { intros v. destruct (actsb a v) eqn:Ev.
          - apply actsb_true in Ev. assert (v = t) by (destruct a; simpl in *; try contradiction; congruence). subst v.
            apply (One _ (sT (psets tr) t)); auto; unfold pjoin; [intros i Hi; tauto|]. split; auto.
          - apply None_; auto. apply IT; auto. intros ->. apply actsb_true in Ht. congruence. }
        { intros c. apply Q; auto. apply BF. intros k K. eapply IF; eauto. }
        { intros c. apply Q; auto. apply BB. intros k K. eapply IB; eauto. }
      * (* synchronisation *) rewrite psets_snoc.
        assert (R : related (tells tr) s (mark (length tr) a (psets tr))).
        { destruct I as [[T L Fq B U X] _ _ _ _ _ _]. constructor; auto. intros v. simpl. destruct (actsb a v); auto.
          intros i b u Hb Hu. unfold pjoin. rewrite <- (T v i b u Hb Hu). pose proof (nth_error_lt _ _ _ Hb). split; [intros [K|K]; [auto|lia]|auto]. }
        apply (related_step vbot pbot vjoin pjoin (tells tr)) with (a := a) in R.
        { assert (R' : related (tells (tr ++ [a])) (csync vbot vjoin s a) (csync pbot pjoin (mark (length tr) a (psets tr)) a)).
          { eapply related_weaken; [|exact R]. intros k p H. eapply tells_old; eauto. }
          destruct R' as [T L Fq B U X]. constructor; auto. intros v. unfold vstep, advance. cbn [sT]. destruct (advances a v); auto.
          intros i b u Hb Hu. pose proof (T v i b u Hb Hu) as E. unfold vinc, upd. destruct (Nat.eqb_spec u v) as [->|]; auto.
          apply nth_error_snoc_inv in Hb as [[Hl Hb]|[-> ->]]; [|elim Hc; destruct a; simpl in *; auto].
          pose proof (own_known tr a v i b Hb Hu F') as O. rewrite psets_snoc in O. apply E in O as O'. split; [lia|auto]. }
        { intros i b u Hb Hu. unfold pbot, vbot. split; [tauto|]. intros K. exfalso.
          assert (P : 1 <= cts tr i u).
          { unfold cts. clear - cap. assert (G : forall l, 1 <= sT (vclk l) u u).
            { induction l as [|c l IH] using rev_ind; [unfold vclk; simpl; unfold upd; rewrite Nat.eqb_refl; lia|].
              rewrite vclk_snoc. unfold vstep, advance. simpl. pose proof (grows (vclk l) c u u). destruct (advances c u); [|lia].
              unfold vinc, upd. rewrite Nat.eqb_refl. lia. }
            apply G. }
          lia. }
        { intros k p k' p' H H' i b u Hb Hu. unfold pjoin, vjoin. rewrite (H i b u Hb Hu), (H' i b u Hb Hu). lia. }
    + intros t. pose proof (ci_pos _ _ I t). pose proof (grows s a t t). unfold vstep, advance. simpl. destruct (advances a t); [|lia].
      unfold vinc, upd. rewrite Nat.eqb_refl. lia.
    + intros t u Ht Hu. now apply (Bs u Hu).
    + intros m u Hu. now apply (Bs u Hu).
    + intros m u Hu. now apply (Bs u Hu).
    + intros c k u K Hu. destruct (Bs u Hu) as (_ & _ & _ & H & _). eauto.
    + intros c k u K Hu. destruct (Bs u Hu) as (_ & _ & _ & _ & H). eauto.
Qed.
End Clocks.
