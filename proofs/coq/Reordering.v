(** From the small steps of an instrumented program to bigger steps (000, Section 5.1): Lemmas 8, 9 and 10, of which 9 and 10 are what the theorems need.

    The paper reorders runs: it moves the steps of the first section of instrumentation that is completed to the front. Here the same follows from an
    invariant of runs as they are, without moving anything: beside the state of the run there is the state that the bigger steps have reached, in
    which a section takes effect at its last step; a thread within a section has done to its environment and to the locations of that section what the
    steps that it has made do when they are made alone, after the bigger steps; and all other locations are as the bigger steps left them. What this
    rests on is what the paper's Lemma 4 says: sections of different threads that are under way access different locations. Lemmas 4 to 7 themselves,
    which are about runs, follow from the invariant in `MovingSections.v`. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Lang Instrument BiggerSteps.

Section Reorder.
Variable Z : nat.
Notation ins := (ins Z).
Notation inss := (inss Z).
Notation src := (src Z).
Notation srcs := (srcs Z).
Notation sect := (sect Z).
Notation big := (big Z).
Notation bigs := (bigs Z).
Notation inst := (inst Z).

(** ** Well-formed states *)

Record WF (P : pool) (m : mem) : Prop := {
  wf_X : forall x, m (MX x) = 0;
  wf_low : forall o, Z <= o -> (forall t, t < Z -> m (MC t o) = 0) /\ (forall l, m (ML l o) = 0) /\ (forall x, m (MR x o) = 0 /\ m (MW x o) = 0);
  wf_id : forall t li G, P t = Some (li, G) -> t < Z;
  wf_src : forall t li G, P t = Some (li, G) -> srcs li;
  wf_held : forall t li G, P t = Some (li, G) -> exists h, held_ok h li /\ forall l, In l h -> m (Lk l) = S t;
  wf_spawns : forall t li G, P t = Some (li, G) -> NoDup (spawns li) /\ forall u, In u (spawns li) -> P u = None;
  wf_waits : forall t li G, P t = Some (li, G) -> NoDup (waits li);
  wf_two : forall t v li G li' G', t <> v -> P t = Some (li, G) -> P v = Some (li', G') ->
    (forall u, In u (spawns li) -> ~ In u (spawns li')) /\ (forall u, In u (waits li) -> ~ In u (waits li')) }.

Lemma NoDup_app_inv {A} (l1 l2 : list A) : NoDup (l1 ++ l2) -> NoDup l1 /\ NoDup l2 /\ forall x, In x l1 -> ~ In x l2.
Proof.
  induction l1 as [|a l1 IH]; simpl; intros H; [repeat split; auto; constructor|].
  inversion H as [|? ? Hn Hd]; subst. destruct (IH Hd) as (H1 & H2 & H3). rewrite in_app_iff in Hn. repeat split; auto.
  - constructor; auto.
  - intros x [<-|Hx]; auto.
Qed.

Lemma wf_init prog m : wf_prog Z prog -> started Z m -> WF (init prog) m.
Proof.
  intros (HZ & Hs & Hh & Hsp & Hw) Hm. inversion Hsp as [|? ? Hn0 Hsp']; subst.
  assert (E : forall t li G, init prog t = Some (li, G) -> t = 0 /\ li = prog).
  { intros t li G H. unfold init, upd in H. destruct (Nat.eqb_spec t 0); [|discriminate]. injection H as <- <-. auto. }
  constructor.
  - intros x. now rewrite Hm.
  - intros o Ho. repeat split; intros; rewrite Hm; auto. destruct (Nat.eqb_spec o t); [lia|auto].
  - intros t li G H. apply E in H as [-> _]. lia.
  - intros t li G H. apply E in H as [_ ->]. auto.
  - intros t li G H. apply E in H as [_ ->]. exists []. split; auto. intros l [].
  - intros t li G H. apply E in H as [_ ->]. split; auto. intros u Hu. unfold init. rewrite upd_other; auto. intros ->. contradiction.
  - intros t li G H. apply E in H as [_ ->]. auto.
  - intros t v li G li' G' Hne H1 H2. apply E in H1 as [-> _]. apply E in H2 as [-> _]. congruence.
Qed.

(** *** Bigger steps keep them so *)

Lemma sect_X t G m i G' m' : sect t G m i (Some (G', m')) -> forall x, m' (MX x) = m (MX x).
Proof. intros S_ x. inversion S_; subst; match goal with H : meq _ _ |- _ => rewrite <- (H (MX x)) end; auto. Qed.

Lemma sect_low t G m i G' m' : t < Z -> src i -> sect t G m i (Some (G', m')) ->
  (forall o, Z <= o -> (forall t, t < Z -> m (MC t o) = 0) /\ (forall l, m (ML l o) = 0) /\ (forall x, m (MR x o) = 0 /\ m (MW x o) = 0)) ->
  forall o, Z <= o -> (forall t, t < Z -> m' (MC t o) = 0) /\ (forall l, m' (ML l o) = 0) /\ (forall x, m' (MR x o) = 0 /\ m' (MW x o) = 0).
Proof.
  intros Ht Hs S_ Hlow o Ho. destruct (Hlow o Ho) as (H1 & H2 & H3).
  assert (Hb : forall v : nat, v < Z -> o <> v) by (intros; lia). assert (Hz : (o <? Z) = false) by (apply Nat.ltb_ge; auto).
  assert (Hu : forall u, (match i with Spawn u' _ | Wait u' => u = u' | _ => False end) -> u < Z).
  { intros u. destruct i; simpl in *; try tauto; intros ->; tauto. }
  inversion S_ as [? ? ? ? ? HM|? ? ? ? ? ? ? HM| |? ? ? ? ? ? ? ? HM| |? ? ? ? ? HM|? ? ? ? ? HM|u ? ? ? ? HM|u ? ? ? HM|? ? ? ? ? ? HM|]; subst;
  (split; [intros v Hv; rewrite <- HM|split; [intros l'; rewrite <- HM|intros x'; rewrite <- !HM; split]]);
  unfold setm, setC, setL; rewrite ?Hz, ?andb_false_r;
  repeat match goal with |- context [loc_dec ?p ?q] => let E := fresh "E" in destruct (loc_dec p q) as [E|E]; [try discriminate; injection E; intros; subst; exfalso|] end;
  try (apply H1; auto; fail); try (apply H2; fail); try (apply H3; fail); try lia.
  all: try (specialize (Hu _ eq_refl); lia).
Qed.

Lemma sect_lock t G m i G' m' : src i -> sect t G m i (Some (G', m')) ->
  match i with
  | Lock (Lk l) => m (Lk l) = 0 /\ m' (Lk l) = S t /\ forall k, k <> l -> m' (Lk k) = m (Lk k)
  | Unlock (Lk l) => m (Lk l) = S t /\ m' (Lk l) = 0 /\ forall k, k <> l -> m' (Lk k) = m (Lk k)
  | _ => forall k, m' (Lk k) = m (Lk k)
  end.
Proof.
  intros Hs S_. inversion S_ as [? ? ? ? ? HM|? ? ? ? ? ? ? HM| |? ? ? ? ? ? ? ? HM| |? ? ? ? ? HM|? ? ? ? ? HM|u ? ? ? ? HM|u ? ? ? HM|? ? ? ? ? ? HM|]; subst;
  try (intros k; rewrite <- HM; reflexivity).
  - split; [auto|]. split; [rewrite <- HM; simpl; apply setm_same|]. intros k Hk. rewrite <- HM. simpl. apply setm_other. congruence.
  - split; [auto|]. split; [rewrite <- HM; simpl; apply setm_same|]. intros k Hk. rewrite <- HM. rewrite setm_other by congruence. reflexivity.
Qed.

Lemma held_next t G m i G' m' h r : src i -> sect t G m i (Some (G', m')) -> held_ok h (i :: r) -> (forall l, In l h -> m (Lk l) = S t) ->
  exists h', held_ok h' r /\ forall l, In l h' -> m' (Lk l) = S t.
Proof.
  intros Hs S_ Hh Hl. pose proof (sect_lock _ _ _ _ _ _ Hs S_) as K.
  destruct i as [a e|a q|e q|q|q|u b|u|e1 e2]; simpl in Hs; try contradiction; simpl in Hh;
  try (exists h; split; [exact Hh|intros l Hin; rewrite K; auto]; fail).
  - destruct q as [|l| | | | |]; try contradiction. destruct K as (K0 & K1 & K2). exists (l :: h). split; [exact Hh|].
    intros k [<-|Hk]; auto. rewrite K2; auto. intros ->. rewrite (Hl _ Hk) in K0. discriminate.
  - destruct q as [|l| | | | |]; try contradiction. destruct K as (K0 & K1 & K2). destruct Hh as [_ Hh]. eexists. split; [exact Hh|].
    intros k Hk. apply in_remove in Hk as [Hk Hne]. rewrite K2; auto.
Qed.

Lemma WF_big t P m P' m' : WF P m -> big t P m (Good P' m') -> WF P' m'.
Proof.
  intros W B. inversion B as [i li G G' m1 Hp Hok Se E1|]; subst. clear B.
  pose proof (wf_src _ _ W _ _ _ Hp) as [Hs Hss]. fold (srcs li) in Hss. pose proof (wf_id _ _ W _ _ _ Hp) as Ht.
  pose proof (sect_lock _ _ _ _ _ _ Hs Se) as Lk_.
  destruct (wf_spawns _ _ W _ _ _ Hp) as [Nd Sn]. pose proof (wf_waits _ _ W _ _ _ Hp) as Nw.
  change (spawns (i :: li)) with (spawned i ++ spawns li) in *. change (waits (i :: li)) with (waited i ++ waits li) in *.
  apply NoDup_app_inv in Nd as (Nd1 & Nd2 & Nd3). apply NoDup_app_inv in Nw as (Nw1 & Nw2 & Nw3).
  (* the pool afterwards *)
  assert (PA : forall v li' Gv, after P t i li G' v = Some (li', Gv) ->
    (v = t /\ li' = li) \/ (exists u b, i = Spawn u b /\ v = u /\ li' = b /\ P v = None) \/ (v <> t /\ P v = Some (li', Gv) /\ forall b, i <> Spawn v b)).
  { intros v li' Gv H. destruct i; simpl in H; unfold upd in H;
    repeat match type of H with context [?a =? ?b] => destruct (Nat.eqb_spec a b) end; subst;
    try (injection H as <- <-); auto; try (right; right; repeat split; auto; congruence).
    right; left; eexists; eexists; repeat split; auto. }
  assert (PN : forall v, P v = None -> (forall b, i <> Spawn v b) -> after P t i li G' v = None).
  { intros v H Hn. assert (v <> t) by congruence. destruct i; simpl; rewrite ?upd_other; auto. intros ->. eapply Hn; eauto. }
  assert (Other : forall v li' Gv, v <> t -> P v = Some (li', Gv) ->
     (forall u, In u (spawned i ++ spawns li) -> ~ In u (spawns li')) /\ (forall u, In u (waited i ++ waits li) -> ~ In u (waits li'))).
  { intros v li' Gv Hv H. apply (wf_two _ _ W t v _ _ _ _ (fun E => Hv (eq_sym E)) Hp H). }
  assert (SnT : forall u, In u (spawned i ++ spawns li) -> u <> t) by (intros u Hu ->; rewrite (Sn t) in Hp by auto; discriminate).
  constructor.
  - intros x. rewrite (sect_X _ _ _ _ _ _ Se). apply W.
  - apply (sect_low _ _ _ _ _ _ Ht Hs Se). apply W.
  - intros v li' Gv H. apply PA in H as [[-> ->]|[(u & b & -> & -> & -> & _)|(Hv & H & _)]]; auto; [apply Hs|eapply wf_id; eauto].
  - intros v li' Gv H. apply PA in H as [[-> ->]|[(u & b & -> & -> & -> & _)|(Hv & H & _)]]; auto; [apply Hs|eapply wf_src; eauto].
  - intros v li' Gv H. apply PA in H as [[-> ->]|[(u & b & -> & -> & -> & _)|(Hv & H & _)]].
    + destruct (wf_held _ _ W _ _ _ Hp) as (h & Hh & Hl). eapply held_next; eauto.
    + exists []. split; [apply Hs|intros l []].
    + destruct (wf_held _ _ W _ _ _ H) as (h & Hh & Hl). exists h. split; auto. intros l Hin. specialize (Hl l Hin). rewrite <- Hl.
      destruct i as [a e|a q|e q|q|q|u b|u|e1 e2]; auto; destruct q as [|l0| | | | |]; auto; destruct Lk_ as (K0 & _ & K2); apply K2; intros ->; congruence.
  - intros v li' Gv H. apply PA in H as [[-> ->]|[(u & b & -> & -> & -> & Hu)|(Hv & H & Hns)]].
    + split; auto. intros u Hu. apply PN; [apply Sn, in_or_app; auto|]. intros b ->. apply (Nd3 u); simpl; auto.
    + simpl in Nd1. inversion Nd1 as [|? ? N1 N2]; subst. split; auto. intros w Hw. apply PN; [apply Sn; simpl; right; apply in_or_app; auto|].
      intros b' E. injection E as -> ->. contradiction.
    + destruct (wf_spawns _ _ W _ _ _ H) as [Nv Sv]. split; auto. intros u Hu. apply PN; auto.
      intros b ->. apply (proj1 (Other v li' Gv Hv H) u); simpl; auto.
  - intros v li' Gv H. apply PA in H as [[-> ->]|[(u & b & -> & -> & -> & _)|(Hv & H & _)]]; auto; eapply wf_waits; eauto.
  - assert (Two : forall v w lv Gv lw Gw, v <> w -> after P t i li G' v = Some (lv, Gv) -> after P t i li G' w = Some (lw, Gw) ->
      (v = t \/ (v <> t /\ P v <> None)) -> (w <> t) ->
      (forall u, In u (spawns lv) -> ~ In u (spawns lw)) /\ (forall u, In u (waits lv) -> ~ In u (waits lw))).
    { intros v w lv Gv lw Gw Hvw Hv Hw Cv Hwt.
      apply PA in Hv as [[-> ->]|[(u & b & -> & -> & -> & Hn)|(Hv & Hpv & _)]]; [| destruct Cv as [->|[? ?]]; congruence |].
      - apply PA in Hw as [[-> ->]|[(u & b & -> & -> & -> & Hn)|(Hw & Hpw & _)]]; [congruence| |].
        + split; intros u' H1 H2; [apply (Nd3 u'); simpl; auto|apply (Nw3 u'); simpl; auto].
        + destruct (Other _ _ _ Hw Hpw) as [O1 O2]. split; intros u' H1; [apply O1|apply O2]; apply in_or_app; auto.
      - apply PA in Hw as [[-> ->]|[(u & b & -> & -> & -> & Hn)|(Hw & Hpw & _)]]; [congruence| |].
        + destruct (Other _ _ _ Hv Hpv) as [O1 O2]. split; intros u' H1 H2; [apply (O1 u')|apply (O2 u')]; auto; apply in_or_app; simpl; auto.
        + eapply (wf_two _ _ W v w); eauto. }
    intros v w lv Gv lw Gw Hvw Hv Hw.
    assert (Sy : forall A B, (forall u : nat, In u A -> ~ In u B) -> forall u, In u B -> ~ In u A) by (intros A B H u H1 H2; apply (H u); auto).
    destruct (Nat.eq_dec w t) as [->|Hwt].
    + assert (Hvt : v <> t) by auto.
      assert (Ct : t = t \/ t <> t /\ P t <> None) by auto.
      destruct (Two t v lw Gw lv Gv (fun E => Hvw (eq_sym E)) Hw Hv Ct Hvt) as [T1 T2]. split; apply Sy; auto.
    + destruct (Nat.eq_dec v t) as [->|Hvt]; [apply (Two t w lv Gv lw Gw); auto|].
      destruct (P v) eqn:Ev; [apply (Two v w lv Gv lw Gw); auto; right; split; congruence|].
      destruct (P w) eqn:Ew.
      * assert (Cw : w = t \/ w <> t /\ P w <> None) by (right; split; congruence).
        destruct (Two w v lw Gw lv Gv (fun E => Hvw (eq_sym E)) Hw Hv Cw Hvt) as [T1 T2]. split; apply Sy; auto.
      * exfalso. apply PA in Hv as [[-> ->]|[(u & b & -> & -> & -> & Hn)|(? & Hpv & _)]]; [congruence| |congruence].
        apply PA in Hw as [[-> ->]|[(u' & b' & E & -> & -> & Hn')|(? & Hpw & _)]]; congruence.
Qed.

(** ** The invariant *)

(** [A t]: the steps that t has made in the section it is in. Definition 4: what remains of that section, and the sections of what follows, is its code. *)
Record RI (Pc : pool) (mc : mem) (P : pool) (m : mem) (A : tid -> list instr) : Prop := {
  ri_wf : WF P m;
  ri_none : forall t, P t = None -> Pc t = None /\ A t = [];
  ri_end : forall t G, P t = Some ([], G) -> Pc t = Some ([], G) /\ A t = [];
  ri_thr : forall t i r G, P t = Some (i :: r, G) -> exists suf Gc mt,
    ins t i = A t ++ suf /\ suf <> [] /\ Pc t = Some (suf ++ inss t r, Gc) /\ run t (A t) G m = Ok Gc mt /\
    (A t <> [] -> forall p, fp t i p -> mc p = mt p);
  ri_mem : forall p, (forall t i r G, P t = Some (i :: r, G) -> A t <> [] -> ~ fp t i p) -> mc p = m p;
  ri_wait : forall t u r G, P t = Some (Wait u :: r, G) -> A t <> [] -> exists G', P u = Some ([], G') }.

Ltac in_sect H :=
  repeat match type of H with
  | In _ (_ ++ _) => apply in_app_or in H as [H|H]
  | In _ (hb_check _ _ _) => apply In_loop in H as [?o H]
  | In _ (merge _ _ _) => apply In_loop in H as [?o H]
  | In _ (set _ _ _) => apply In_loop in H as [?o H]
  | In _ (move _ _) => unfold move in H
  | In _ (inc _) => unfold inc in H
  | In _ (lea _ _) => unfold lea in H
  | In _ (max _ _) => unfold max in H
  | In _ (_ :: _) => destruct H as [<-|H]
  | In _ [] => destruct H
  end.

(** A section of which a proper part is done is within its lock. *)
Lemma prefix_proper {X} (x z : X) mid A suf : x :: mid ++ [z] = A ++ suf -> A <> [] -> suf <> [] -> exists A', A = x :: A' /\ forall j, In j A' -> In j mid.
Proof.
  intros E HA Hs. destruct A as [|a A']; [congruence|]. injection E as <- E. exists A'. split; auto.
  destruct (exists_last Hs) as (suf' & w & ->). rewrite app_assoc in E. apply app_inj_tail in E as [-> _]. intros j Hj. apply in_or_app; auto.
Qed.

Definition key (i : instr) : option loc :=
  match i with Load _ (Var x) | Store _ (Var x) => Some (MX x) | Lock (Lk l) | Unlock (Lk l) => Some (Lk l) | _ => None end.

Lemma under_lock t i A suf G m Gc mt k : src i -> ins t i = A ++ suf -> A <> [] -> suf <> [] -> run t A G m = Ok Gc mt ->
  (forall l, i = Unlock (Lk l) -> m (Lk l) = S t) -> key i = Some k ->
  mt k = S t /\ ((forall l, i <> Unlock (Lk l)) -> m k = 0).
Proof.
  intros Hs E HA Hsf R Hl Hk.
  assert (Enter : forall x mid z, ins t i = Lock x :: mid ++ z -> length z <= 1 -> (forall j, In j mid -> ~ accs j x) -> mt x = S t /\ m x = 0).
  { intros x mid z Ei Hz Hm. assert (exists A', A = Lock x :: A' /\ forall j, In j A' -> In j mid) as (A' & -> & HA').
    { destruct z as [|z [|]]; [|apply (prefix_proper (Lock x) z mid A suf); auto; rewrite <- E; symmetry; exact Ei|simpl in Hz; lia].
      rewrite app_nil_r in Ei. rewrite E in Ei. destruct A as [|a A']; [congruence|]. injection Ei as -> Ei. exists A'. split; auto.
      intros j Hj. rewrite <- Ei. apply in_or_app; auto. }
    simpl in R. destruct (Nat.eqb_spec (m x) 0) as [H0|]; [|discriminate]. split; auto.
    rewrite (run_outside t A' x (fun j Hj => Hm j (HA' j Hj)) _ _ _ _ R). apply setm_same. }
  destruct i as [a e|a q|e q|q|q|u b|u|e1 e2]; simpl in Hs; try contradiction; try discriminate.
  - destruct a; try contradiction. destruct q as [x| | | | | |]; try contradiction. injection Hk as <-.
    destruct (Enter (MX x) (hb_check Z (MW x) (MC t) ++ move (MC t t) (MR x t) ++ [Load (U a) (Var x)]) [Unlock (MX x)]) as [H1 H2]; auto.
    + cbn [Instrument.ins]. rewrite <- !app_assoc. reflexivity.
    + intros j Hj. in_sect Hj; simpl; try discriminate; auto.
  - destruct q as [x| | | | | |]; try contradiction. injection Hk as <-.
    destruct (Enter (MX x) (hb_check Z (MW x) (MC t) ++ hb_check Z (MR x) (MC t) ++ move (MC t t) (MW x t) ++ [Store e (Var x)]) [Unlock (MX x)]) as [H1 H2]; auto.
    + cbn [Instrument.ins]. rewrite <- !app_assoc. reflexivity.
    + intros j Hj. in_sect Hj; simpl; try discriminate; auto.
  - destruct q as [|l| | | | |]; try contradiction. injection Hk as <-.
    destruct (Enter (Lk l) (merge Z (ML l) (MC t)) []) as [H1 H2]; auto.
    + cbn [Instrument.ins]. rewrite app_nil_r. reflexivity.
    + intros j Hj. in_sect Hj; simpl; try discriminate; auto.
  - destruct q as [|l| | | | |]; try contradiction. injection Hk as <-. split; [|intros H; elim (H l); auto].
    rewrite <- (Hl l eq_refl). eapply run_outside; [|exact R]. intros j Hj.
    assert (Hj' : In j (set Z (MC t) (ML l) ++ inc (MC t t))).
    { destruct (exists_last Hsf) as (suf' & w & ->). cbn [Instrument.ins] in E. rewrite !app_assoc in E. apply app_inj_tail in E as [-> _]. apply in_or_app; auto. }
    in_sect Hj'; simpl; try discriminate; auto.
Qed.

Lemma after_local P t j r G : (forall u b, j <> Spawn u b) -> after P t j r G = upd P t (Some (r, G)).
Proof. intros H. destruct j; auto. elim (H u li); auto. Qed.

(** Only spawn has a spawn in its section, and there it is the last step. *)
Lemma no_spawn t i j : src i -> In j (ins t i) -> match i with Spawn _ _ => True | _ => forall u b, j <> Spawn u b end.
Proof.
  intros Hs Hj. destruct i as [a e|a q|e q|q|q|u b|u|e1 e2]; simpl in Hs; try contradiction; auto;
  try (destruct q; try contradiction); cbn [Instrument.ins] in Hj; in_sect Hj; discriminate.
Qed.
Lemma spawn_last t u b A j suf : ins t (Spawn u b) = A ++ j :: suf ->
  (suf = [] -> j = Spawn u (inss u b)) /\ (suf <> [] -> forall u' b', j <> Spawn u' b').
Proof.
  intros E. cbn [Instrument.ins] in E. rewrite app_assoc in E. split.
  - intros ->. apply app_inj_tail in E as [_ <-]. reflexivity.
  - intros Hs. destruct (exists_last Hs) as (s & w & ->). change (A ++ j :: s ++ [w]) with (A ++ (j :: s) ++ [w]) in E. rewrite app_assoc in E.
    apply app_inj_tail in E as [E _]. assert (Hj : In j (merge Z (MC t) (MC u) ++ inc (MC t t))) by (rewrite E; apply in_or_app; simpl; auto).
    in_sect Hj; discriminate.
Qed.

Section Step.
Variables (Pc : pool) (mc : mem) (P : pool) (m : mem) (A : tid -> list instr).
Hypothesis Inv : RI Pc mc P m A.

Let W : WF P m := ri_wf _ _ _ _ _ Inv.

Lemma src_head t i r G : P t = Some (i :: r, G) -> src i.
Proof. intros H. apply (wf_src _ _ W) in H. apply H. Qed.
Lemma unlock_head t l r G : P t = Some (Unlock (Lk l) :: r, G) -> m (Lk l) = S t.
Proof. intros H. destruct (wf_held _ _ W _ _ _ H) as (h & [Hin _] & Hl). auto. Qed.
Lemma spawn_head t u b r G : P t = Some (Spawn u b :: r, G) -> P u = None.
Proof. intros H. apply (wf_spawns _ _ W _ _ _ H). simpl. auto. Qed.
Lemma ended u G : Pc u = Some ([], G) -> P u = Some ([], G).
Proof.
  intros H. destruct (P u) as [[[|i r] Gu]|] eqn:E.
  - apply (ri_end _ _ _ _ _ Inv) in E as [E _]. congruence.
  - apply (ri_thr _ _ _ _ _ Inv) in E as (suf & Gc & mt & _ & Hs & E & _). rewrite E in H. destruct suf; [congruence|discriminate].
  - apply (ri_none _ _ _ _ _ Inv) in E as [E _]. congruence.
Qed.

(** What t accesses in its section, if it is in one or can begin one with its next step j, nobody else accesses in the section that he is in. *)
Lemma sections_apart t i r G j suf Gc v iv rv Gv p :
  P t = Some (i :: r, G) -> ins t i = A t ++ j :: suf -> (A t = [] -> pool_ok Pc j /\ exec t j Gc mc <> Block) ->
  v <> t -> P v = Some (iv :: rv, Gv) -> A v <> [] -> fp t i p -> ~ fp v iv p.
Proof.
  intros Hp Hi Hen Hvt Hpv HAv Ft Fv.
  pose proof (src_head _ _ _ _ Hp) as Hs. pose proof (src_head _ _ _ _ Hpv) as Hsv.
  (* what t waits for has ended *)
  assert (HW : forall u, i = Wait u -> exists G', P u = Some ([], G')).
  { intros u ->. destruct (A t) as [|a l] eqn:EA; [|eapply (ri_wait _ _ _ _ _ Inv); [exact Hp|congruence]].
    simpl in Hi. injection Hi as <- _. destruct (Hen eq_refl) as [[G' Hok] _]. exists G'. now apply ended. }
  assert (HWv : forall u, iv = Wait u -> exists G', P u = Some ([], G')).
  { intros u ->. eapply (ri_wait _ _ _ _ _ Inv); eauto. }
  (* the lock of t's section is t's, or free and about to be t's *)
  assert (Kt : forall k, key i = Some k -> mc k = S t \/ mc k = 0 \/ A t = [] /\ m k = S t /\ exists l, i = Unlock (Lk l)).
  { intros k Hk. destruct (ri_thr _ _ _ _ _ Inv _ _ _ _ Hp) as (suf0 & Gc0 & mt & E & Hsf & _ & R & Hm).
    destruct (A t) as [|a l] eqn:EA.
    - right. destruct (Hen eq_refl) as [_ Hb]. destruct i as [x e|x q|e q|q|q|u b|u|e1 e2]; simpl in Hs; try contradiction; try discriminate.
      + destruct x; try contradiction. destruct q; try contradiction. injection Hk as <-. simpl in Hi. injection Hi as <- _. left.
        simpl in Hb. destruct (Nat.eqb_spec (mc (MX x)) 0); congruence.
      + destruct q; try contradiction. injection Hk as <-. simpl in Hi. injection Hi as <- _. left.
        simpl in Hb. destruct (Nat.eqb_spec (mc (MX x)) 0); congruence.
      + destruct q as [|l| | | | |]; try contradiction. injection Hk as <-. simpl in Hi. injection Hi as <- _. left.
        simpl in Hb. destruct (Nat.eqb_spec (mc (Lk l)) 0); congruence.
      + destruct q as [|l| | | | |]; try contradiction. injection Hk as <-. right. split; [auto|]. split; [eapply unlock_head; eauto|eauto].
    - left. rewrite Hm; [|discriminate|].
      + eapply (under_lock t i (a :: l) suf0); eauto; [discriminate|]. intros l0 ->. eapply unlock_head; eauto.
      + destruct i as [x e|x q|e q|q|q|u b|u|e1 e2]; try discriminate; destruct q; try discriminate; injection Hk as <-; simpl; auto. }
  assert (Kv : forall k, key iv = Some k -> mc k = S v /\ (m k = 0 \/ m k = S v)).
  { intros k Hk. destruct (ri_thr _ _ _ _ _ Inv _ _ _ _ Hpv) as (suf0 & Gc0 & mt & E & Hsf & _ & R & Hm).
    assert (Hl : forall l, iv = Unlock (Lk l) -> m (Lk l) = S v) by (intros l ->; eapply unlock_head; eauto).
    destruct (under_lock _ _ _ _ _ _ _ _ _ Hsv E HAv Hsf R Hl Hk) as [H1 H2]. split.
    - rewrite Hm; auto. destruct iv as [x e|x q|e q|q|q|u b|u|e1 e2]; try discriminate; destruct q; try discriminate; injection Hk as <-; simpl; auto.
    - destruct iv as [x e|x q|e q|q|q|u b|u|e1 e2]; try discriminate; destruct q as [|l| | | | |]; try discriminate; injection Hk as <-; try (left; apply H2; discriminate).
      right. apply (Hl l). auto. }
  assert (Same : forall k, key i = Some k -> key iv = Some k -> False).
  { intros k H1 H2. destruct (Kv k H2) as [K1 K2]. destruct (Kt k H1) as [K|[K|(_ & K & _)]]; [|congruence|]; [rewrite K1 in K; injection K; auto|].
    destruct K2 as [K2|K2]; rewrite K in K2; [discriminate|injection K2; auto]. }
  (* the two cases: the same variable or lock, or the clock of a thread *)
  destruct p as [y|l|w o|l o|y o|y o|y];
  [| |assert (Cw : (w = t \/ exists b, i = Spawn w b \/ i = Wait w) /\ (w = v \/ exists b, iv = Spawn w b \/ iv = Wait w))| | | |];
  try (destruct i as [x e|x q|e q|q|q|u b|u|e1 e2]; simpl in Ft; try contradiction; try (destruct q; try contradiction);
       destruct iv as [x' e'|x' q|e' q|q|q|u' b'|u'|e1' e2']; simpl in Fv; try contradiction; try (destruct q; try contradiction);
       subst; eapply Same; reflexivity).
  - split.
    + destruct i as [x e|x q|e q|q|q|u b|u|e1 e2]; simpl in Ft; try contradiction; try (destruct q; try contradiction; auto);
      destruct Ft as [->| ->]; auto; right; exists b || exists []; auto.
    + destruct iv as [x e|x q|e q|q|q|u b|u|e1 e2]; simpl in Fv; try contradiction; try (destruct q; try contradiction; auto);
      destruct Fv as [->| ->]; auto; right; exists b || exists []; auto.
  - assert (wf_v := wf_two _ _ W t v _ _ _ _ (fun E => Hvt (eq_sym E)) Hp Hpv).
    assert (Sp : forall b, i = Spawn w b -> P w = None) by (intros b ->; eapply spawn_head; eauto).
    assert (Spv : forall b, iv = Spawn w b -> P w = None) by (intros b ->; eapply spawn_head; eauto).
    destruct Cw as [[->|[b [Ei|Ei]]] [->|[b' [Ev|Ev]]]]; try congruence.
    + specialize (Spv _ Ev). congruence.
    + destruct (HWv _ Ev). congruence.
    + specialize (Sp _ Ei). congruence.
    + subst. apply (proj1 wf_v w); simpl; auto.
    + destruct (HWv _ Ev). rewrite (Sp _ Ei) in *. congruence.
    + destruct (HW _ Ei). congruence.
    + destruct (HW _ Ei). rewrite (Spv _ Ev) in *. congruence.
    + subst. apply (proj2 wf_v w); simpl; auto.
Qed.
End Step.

Lemma fp_dec t i q : fp t i q \/ ~ fp t i q.
Proof.
  assert (Q : forall a b : nat, a = b \/ a <> b) by (intros a b; destruct (Nat.eq_dec a b); auto).
  assert (Q2 : forall a b c : nat, (a = b \/ a = c) \/ ~ (a = b \/ a = c)) by (intros a b c; destruct (Q a b), (Q a c); tauto).
  destruct i as [x e|x q'|e q'|q'|q'|u b|u|e1 e2]; try (right; exact (fun H => H)); try (destruct q'; try (right; exact (fun H => H)));
  destruct q; try (right; exact (fun H => H)); simpl; auto.
Qed.

(** ** Every small step is part of a section, or ends it and so makes a bigger step *)

Theorem RI_step Pc mc P m A t o R : RI Pc mc P m A -> step t Pc mc o R ->
  match R with
  | Good Pc' mc' => exists P' m' A', RI Pc' mc' P' m' A' /\
      (P' = P /\ m' = m /\ (forall j rest G, Pc t = Some (j :: rest, G) -> A' = upd A t (A t ++ [j])) \/ big t P m (Good P' m'))
  | Err => big t P m Err
  end.
Proof.
  intros I St. pose proof (ri_wf _ _ _ _ _ I) as W.
  destruct (step_exec _ _ _ _ _ St) as (j & rest & Gc & Hpc & Hok & _ & HR).
  destruct (P t) as [[[|i r] G]|] eqn:Hp;
    [apply (ri_end _ _ _ _ _ I) in Hp as [Hp _]; congruence| |apply (ri_none _ _ _ _ _ I) in Hp as [Hp _]; congruence].
  destruct (ri_thr _ _ _ _ _ I _ _ _ _ Hp) as (suf0 & Gc0 & mt & Ei & Hsf & Hpc' & Rt & Hm).
  rewrite Hpc in Hpc'. destruct suf0 as [|j0 suf]; [congruence|]. simpl in Hpc'. injection Hpc' as <- -> <-.
  pose proof (src_head _ _ _ _ _ I _ _ _ _ Hp) as Hs.
  assert (Hj : In j (ins t i)) by (rewrite Ei; apply in_or_app; simpl; auto).
  assert (Hacc : forall q, accs j q -> fp t i q) by (intros q; apply (accs_fp Z t i j q Hs Hj)).
  assert (Hnb : exec t j Gc mc <> Block) by (destruct R as [Pc' mc'|]; [destruct HR as (G' & E & _); congruence|congruence]).
  pose proof (fun v iv rv Gv q => sections_apart _ _ _ _ _ I t i r G j suf Gc v iv rv Gv q Hp Ei (fun _ => conj Hok Hnb)) as Dis.
  assert (Hmt : forall q, fp t i q -> mc q = mt q).
  { intros q Hq. destruct (A t) as [|a l] eqn:EA; [|apply Hm; [discriminate|auto]].
    simpl in Rt. injection Rt as <- <-. apply (ri_mem _ _ _ _ _ I). intros v iv rv Gv Hv HAv.
    apply (Dis v iv rv Gv q); auto. intros ->. congruence. }
  assert (Ha : apart t i).
  { destruct i; simpl; auto; intros <-; [rewrite (spawn_head _ _ _ _ _ I _ _ _ _ _ Hp) in Hp; discriminate|].
    destruct (A t) as [|a l] eqn:EA.
    - simpl in Ei. injection Ei as <- _. simpl in Hok. destruct Hok as [G' Hok]. apply (ended _ _ _ _ _ I) in Hok. congruence.
    - destruct (ri_wait _ _ _ _ _ I _ _ _ _ Hp) as [G' Hw]; congruence. }
  assert (Hul : forall l, i = Unlock (Lk l) -> m (Lk l) = S t) by (intros l ->; eapply unlock_head; eauto).
  pose proof (run_sect Z t G m i Hs Ha Hul) as Rs.
  pose proof (exec_frame (fp t i) t j Gc mc mt Hacc Hmt) as Fr.
  assert (Rj : run t (A t ++ [j]) G m = exec t j Gc mt) by (rewrite run_app, Rt; apply run_single).
  destruct R as [Pc' mc'|].
  2: { (* a failed assertion *) rewrite HR in Fr. destruct (exec t j Gc mt) eqn:E; try contradiction.
    replace (ins t i) with ((A t ++ [j]) ++ suf) in Rs by (rewrite Ei, <- app_assoc; reflexivity).
    rewrite run_app, Rj in Rs. eapply big_err; eauto. }
  destruct HR as (Gc' & Ec & ->). rewrite Ec in Fr. destruct (exec t j Gc mt) as [G2 mt'| |] eqn:Et; try contradiction. destruct Fr as [<- Hmt'].
  assert (Hout : forall q, ~ fp t i q -> mc' q = mc q) by (intros q Hq; eapply exec_outside; eauto).
  assert (HW : forall u, i = Wait u -> exists G', P u = Some ([], G')).
  { intros u ->. destruct (A t) as [|a l] eqn:EA; [|eapply (ri_wait _ _ _ _ _ I); [exact Hp|congruence]].
    simpl in Ei. injection Ei as <- _. simpl in Hok. destruct Hok as [G' Hok]. exists G'. now apply (ended _ _ _ _ _ I). }
  assert (HvA : forall v, P v = None -> v <> t) by (intros v Hv ->; congruence).
  destruct suf as [|s suf].
  - (* the section is completed *)
    rewrite <- Ei in Rj. rewrite Rj in Rs. change ([] ++ inss t r) with (inss t r).
    assert (Hpo : pool_ok P i) by (destruct i; simpl; auto; eapply spawn_head; eauto).
    assert (B : big t P m (Good (after P t i r Gc') mt')) by (econstructor; eauto).
    assert (Hin : forall q, ~ fp t i q -> mt' q = m q).
    { intros q Hq. eapply run_outside; [|exact Rj]. intros k Hk Hkq. apply Hq. eapply accs_fp; eauto. }
    (* both pools afterwards *)
    assert (PP : forall v, (v = t /\ after P t i r Gc' v = Some (r, Gc') /\ after Pc t j (inss t r) Gc' v = Some (inss t r, Gc')) \/
       (exists b, i = Spawn v b /\ after P t i r Gc' v = Some (b, G0) /\ after Pc t j (inss t r) Gc' v = Some (inss v b, G0)) \/
       (v <> t /\ after P t i r Gc' v = P v /\ after Pc t j (inss t r) Gc' v = Pc v)).
    { intros v. destruct (Nat.eq_dec v t) as [->|Hv].
      - left. split; auto. destruct i as [x e|x q|e q|q|q|u b|u|e1 e2]; simpl in Ha;
        try (pose proof (no_spawn _ _ _ Hs Hj) as Ns; simpl in Ns; rewrite (after_local Pc) by auto; simpl; rewrite !upd_same; auto; fail).
        destruct (spawn_last _ _ _ _ _ _ Ei) as [-> _]; auto. simpl. rewrite !(upd_other _ u) by auto. rewrite !upd_same; auto.
      - right. destruct i as [x e|x q|e q|q|q|u b|u|e1 e2]; simpl in Ha;
        try (pose proof (no_spawn _ _ _ Hs Hj) as Ns; simpl in Ns; right; split; [auto|]; rewrite (after_local Pc) by auto; simpl; rewrite !upd_other; auto; fail).
        destruct (spawn_last _ _ _ _ _ _ Ei) as [-> _]; auto. simpl. destruct (Nat.eq_dec v u) as [->|Hu].
        + left. exists b. rewrite !upd_same. auto.
        + right. rewrite !upd_other by auto. auto. }
    exists (after P t i r Gc'), mt', (upd A t []). split; [|auto].
    assert (Hsp : forall v b, i = Spawn v b -> P v = None) by (intros v b ->; eapply spawn_head; eauto).
    constructor.
    + eapply WF_big; eauto.
    + intros v Hv. destruct (PP v) as [(-> & E1 & E2)|[(b & _ & E1 & E2)|(Hne & E1 & E2)]]; try congruence.
      rewrite E2, upd_other by auto. apply (ri_none _ _ _ _ _ I). congruence.
    + intros v Gv Hv. destruct (PP v) as [(-> & E1 & E2)|[(b & Eb & E1 & E2)|(Hne & E1 & E2)]].
      * rewrite E1 in Hv. injection Hv as -> ->. rewrite E2, upd_same. auto.
      * rewrite E1 in Hv. injection Hv as -> <-. rewrite E2. split; auto. specialize (Hsp _ _ Eb). rewrite upd_other by auto.
        now apply (ri_none _ _ _ _ _ I).
      * rewrite E2, upd_other by auto. apply (ri_end _ _ _ _ _ I). congruence.
    + intros v iv rv Gv Hv. destruct (PP v) as [(-> & E1 & E2)|[(b & Eb & E1 & E2)|(Hne & E1 & E2)]].
      * rewrite E1 in Hv. injection Hv as -> <-. exists (ins t iv), Gc', mt'. rewrite upd_same, E2.
        split; [reflexivity|]. split; [apply ins_not_nil|]. split; [reflexivity|]. split; [reflexivity|]. congruence.
      * rewrite E1 in Hv. injection Hv as -> <-. specialize (Hsp _ _ Eb). rewrite upd_other by auto.
        destruct (ri_none _ _ _ _ _ I _ Hsp) as [_ ->]. exists (ins v iv), G0, mt'. rewrite E2.
        split; [reflexivity|]. split; [apply ins_not_nil|]. split; [reflexivity|]. split; [reflexivity|]. congruence.
      * rewrite E1 in Hv. rewrite E2, upd_other by auto. destruct (ri_thr _ _ _ _ _ I _ _ _ _ Hv) as (sv & Gcv & mv & Ev & Hsv & Hpv & Rv & Hmv).
        destruct (A v) as [|a l] eqn:EA.
        { simpl in Rv. injection Rv as <- <-. exists sv, Gv, mt'. repeat split; auto. congruence. }
        assert (Nf : forall q, fp v iv q -> ~ fp t i q).
        { intros q Hq Hq'. apply (Dis v iv rv Gv q); auto. congruence. }
        assert (Hagree : forall q, fp v iv q -> m q = mt' q) by (intros q Hq; symmetry; apply Hin; auto).
        assert (Hsub : forall k q, In k (a :: l) -> accs k q -> fp v iv q).
        { intros k q Hk. apply (accs_fp Z v iv k q); [eapply src_head; eauto|]. rewrite Ev. apply in_or_app; auto. }
        pose proof (run_frame (fp v iv) v (a :: l) Hsub Gv m mt' Hagree) as F. rewrite Rv in F.
        destruct (run v (a :: l) Gv mt') as [G3 m3| |] eqn:E3; try contradiction. destruct F as [<- F].
        exists sv, Gcv, m3. repeat split; auto. intros _ q Hq. rewrite Hout by auto. rewrite Hmv by (auto; discriminate). auto.
    + intros q Hq. destruct (PP t) as [(_ & E1 & E2)|[(b & Eb & _)|(Hne & _)]]; [|simpl in Ha; subst i; elim Ha; auto|congruence].
      destruct (fp_dec t i q) as [D|D]; [now apply Hmt'|]. rewrite Hout, Hin by auto. apply (ri_mem _ _ _ _ _ I).
      intros v iv rv Gv Hv HAv. destruct (Nat.eq_dec v t) as [->|Hvt]; [rewrite Hp in Hv; injection Hv as <- <- <-; auto|].
      destruct (PP v) as [(-> & _)|[(b & Eb & _)|(Hne & E3 & _)]]; [congruence|specialize (Hsp _ _ Eb); congruence|].
      apply (Hq v iv rv Gv); [congruence|]. now rewrite upd_other.
    + intros v u rv Gv Hv HAv. destruct (Nat.eq_dec v t) as [->|Hvt]; [rewrite upd_same in HAv; congruence|]. rewrite upd_other in HAv by auto.
      destruct (PP v) as [(-> & _)|[(b & Eb & _)|(Hne & E3 & _)]];
        [congruence|specialize (Hsp _ _ Eb); apply (ri_none _ _ _ _ _ I) in Hsp as [_ E]; congruence|].
      rewrite E3 in Hv. destruct (ri_wait _ _ _ _ _ I _ _ _ _ Hv HAv) as [G' Hu]. exists G'. rewrite <- Hu.
      destruct (PP u) as [(-> & _)|[(b & Eb & _)|(_ & E4 & _)]]; [congruence|specialize (Hsp _ _ Eb); congruence|auto].
  - (* within the section *)
    assert (Hns : forall u b, j <> Spawn u b).
    { destruct i as [x e|x q|e q|q|q|u b|u|e1 e2]; try (apply (no_spawn _ _ _ Hs Hj)). apply (spawn_last _ _ _ _ _ _ Ei). discriminate. }
    rewrite after_local by auto. exists P, m, (upd A t (A t ++ [j])). split; [|left; split; [|split]; auto; intros; congruence]. constructor; auto.
    + intros v Hv. pose proof (HvA v Hv). rewrite !upd_other by auto. now apply (ri_none _ _ _ _ _ I).
    + intros v Gv Hv. assert (v <> t) by congruence. rewrite !upd_other by auto. now apply (ri_end _ _ _ _ _ I).
    + intros v iv rv Gv Hv. destruct (Nat.eq_dec v t) as [->|Hvt].
      * rewrite Hp in Hv. injection Hv as <- <- <-. rewrite !upd_same. exists (s :: suf), Gc', mt'. rewrite <- app_assoc.
        split; [exact Ei|]. split; [discriminate|]. split; [reflexivity|]. split; auto.
      * rewrite !upd_other by auto. destruct (ri_thr _ _ _ _ _ I _ _ _ _ Hv) as (sv & Gcv & mv & Ev & Hsv & Hpv & Rv & Hmv).
        exists sv, Gcv, mv. split; [auto|]. split; [auto|]. split; [auto|]. split; [auto|]. intros HAv q Hq. rewrite <- Hmv by auto.
        apply Hout. intros Hq'. now apply (Dis v iv rv Gv q).
    + intros q Hq. assert (Nq : ~ fp t i q) by (apply (Hq t i r G Hp); rewrite upd_same; destruct (A t); discriminate).
      rewrite Hout by auto. apply (ri_mem _ _ _ _ _ I). intros v iv rv Gv Hv HAv.
      destruct (Nat.eq_dec v t) as [->|Hvt]; [rewrite Hp in Hv; injection Hv as <- <- <-; auto|]. apply (Hq v iv rv Gv Hv). now rewrite upd_other.
    + intros v u rv Gv Hv HAv. destruct (Nat.eq_dec v t) as [->|Hvt]; [rewrite Hp in Hv; injection Hv as -> <- <-; eauto|].
      rewrite upd_other in HAv by auto. eapply (ri_wait _ _ _ _ _ I); eauto.
Qed.

(** ** Lemmas 8, 9 and 10 *)

Lemma RI_start P m Q : WF P m -> (forall t, Q t = inst P t) -> RI Q m P m (fun _ => []).
Proof.
  intros W E. unfold BiggerSteps.inst in E. constructor; auto; try (intros; congruence).
  - intros t H. rewrite E, H. auto.
  - intros t G H. rewrite E, H. auto.
  - intros t i r G H. exists (ins t i), G, m. split; [reflexivity|]. split; [apply ins_not_nil|]. split; [rewrite E, H; reflexivity|]. split; [reflexivity|congruence].
Qed.

Lemma RI_steps P0 m0 Q tr Pc mc : WF P0 m0 -> (forall t, Q t = inst P0 t) -> steps Q m0 tr Pc mc ->
  exists P m A, bigs P0 m0 P m /\ RI Pc mc P m A.
Proof.
  intros W E H. induction H as [|tr Pc mc t o Pc' mc' H IH St].
  - exists P0, m0, (fun _ => []). split; [constructor|]. now apply RI_start.
  - destruct IH as (P & m & A & B & I). destruct (RI_step _ _ _ _ _ _ _ _ I St) as (P' & m' & A' & I' & Hb).
    exists P', m', A'. split; auto. destruct Hb as [(-> & -> & _)|Hb]; auto. eapply bigs_snoc; eauto.
Qed.

(** Definition 4. *)
Definition suffix (P Pc : pool) : Prop := forall t,
  match P t, Pc t with
  | None, None => True
  | Some ([], _), Some (l, _) => l = []
  | Some (i :: r, _), Some (l, _) => exists done rest, ins t i = done ++ rest /\ rest <> [] /\ l = rest ++ inss t r
  | _, _ => False
  end.

Lemma RI_suffix Pc mc P m A : RI Pc mc P m A -> suffix P Pc.
Proof.
  intros I t. destruct (P t) as [[[|i r] G]|] eqn:Hp.
  - now apply (ri_end _ _ _ _ _ I) in Hp as [-> _].
  - destruct (ri_thr _ _ _ _ _ I _ _ _ _ Hp) as (suf & Gc & mt & E & Hs & -> & _). eauto.
  - now apply (ri_none _ _ _ _ _ I) in Hp as [-> _].
Qed.

Lemma steps_tsteps t Q m Q' m' : tsteps t Q m (Good Q' m') -> forall Q0 m0 tr, steps Q0 m0 tr Q m -> exists tr', steps Q0 m0 tr' Q' m'.
Proof.
  intros H. remember (Good Q' m') as R eqn:E. revert E. induction H as [Q m|Q m o H|Q m o Q1 m1 R H H' IH]; intros E Q0 m2 tr S0; [|discriminate|].
  - injection E as <- <-. eauto.
  - eapply IH; auto. eapply steps_snoc; eauto.
Qed.

(** The steps that thread t has made in its section, made at once. *)
Lemma done_tsteps Pc mc P m A t i r G Q mq Gc mt suf : RI Pc mc P m A -> P t = Some (i :: r, G) -> A t <> [] -> ins t i = A t ++ suf -> suf <> [] ->
  run t (A t) G mq = Ok Gc mt -> Q t = Some (ins t i ++ inss t r, G) -> (forall u Gu, P u = Some ([], Gu) -> Q u = Some ([], Gu)) ->
  exists Q', tsteps t Q mq (Good Q' mt) /\ Q' t = Some (suf ++ inss t r, Gc) /\ forall v, v <> t -> Q' v = Q v.
Proof.
  intros I Hp HA E Hsf R Hq He. pose proof (src_head _ _ _ _ _ I _ _ _ _ Hp) as Hs. rewrite E, <- app_assoc in Hq.
  assert (Loc : Forall is_local (A t) -> exists Q', tsteps t Q mq (Good Q' mt) /\ Q' t = Some (suf ++ inss t r, Gc) /\ forall v, v <> t -> Q' v = Q v).
  { intros Lo. pose proof (run_tsteps t _ Lo _ _ _ mq Hq) as Rt. now rewrite R in Rt. }
  destruct i as [x e|x q|e q|q|q|u b|u|e1 e2];
  try (apply Loc; assert (Lo := ins_local Z t _ Hs Logic.I); rewrite E in Lo; apply Forall_app in Lo; apply Lo).
  - apply Loc. destruct (exists_last Hsf) as (s & w & ->). cbn [Instrument.ins] in E. rewrite !app_assoc in E. apply app_inj_tail in E as [E _].
    assert (Lo : Forall is_local (A t ++ s)).
    { rewrite <- E. apply Forall_forall. intros k Hk. in_sect Hk; exact Logic.I. }
    apply Forall_app in Lo. apply Lo.
  - destruct (ri_wait _ _ _ _ _ I _ _ _ _ Hp HA) as [Gu Hu]. apply He in Hu. cbn [Instrument.ins] in E.
    destruct (A t) as [|a l]; [congruence|]. injection E as <- E. simpl in Hq, R.
    assert (Lo : Forall is_local (l ++ suf)).
    { rewrite <- E. apply Forall_forall. intros k Hk. in_sect Hk; exact Logic.I. }
    apply Forall_app in Lo as [Lo _].
    pose proof (run_tsteps t l Lo (suf ++ inss t r) (upd Q t (Some (l ++ suf ++ inss t r, G))) G mq (upd_same _ _ _)) as Rt. rewrite R in Rt.
    destruct Rt as (Q' & Ht & Hq' & Ho). exists Q'. split; [eapply ts_cons; [eapply S_Wait; eauto|exact Ht]|]. split; auto.
    intros v Hv. rewrite Ho by auto. now apply upd_other.
Qed.

(** From what the bigger steps have reached, the steps of the sections that are under way, thread by thread, lead to the state of the run. *)
Lemma RI_remake Pc mc P m A : RI Pc mc P m A -> exists tr' Pc' mc', steps (inst P) m tr' Pc' mc' /\ (forall t, Pc' t = Pc t) /\ meq mc' mc.
Proof.
  intros I. pose proof (ri_wf _ _ _ _ _ I) as W.
  assert (N : forall n, exists tr' Qn mn, steps (inst P) m tr' Qn mn /\ (forall v, v < n -> Qn v = Pc v) /\ (forall v, n <= v -> Qn v = inst P v) /\
    forall p, (mn p = mc p /\ exists v i r G, v < n /\ P v = Some (i :: r, G) /\ A v <> [] /\ fp v i p) \/
              (mn p = m p /\ forall v i r G, v < n -> P v = Some (i :: r, G) -> A v <> [] -> ~ fp v i p)).
  { induction n as [|n (tr' & Qn & mn & Sn & Hlt & Hge & Hm)].
    - exists [], (inst P), m. split; [constructor|]. split; [intros; lia|]. split; [auto|]. intros p. right. split; auto. intros; lia.
    - assert (Stay : (forall i r G, P n = Some (i :: r, G) -> A n = []) -> Pc n = inst P n ->
        exists tr' Qn mn, steps (inst P) m tr' Qn mn /\ (forall v, v < S n -> Qn v = Pc v) /\ (forall v, S n <= v -> Qn v = inst P v) /\
        forall p, (mn p = mc p /\ exists v i r G, v < S n /\ P v = Some (i :: r, G) /\ A v <> [] /\ fp v i p) \/
              (mn p = m p /\ forall v i r G, v < S n -> P v = Some (i :: r, G) -> A v <> [] -> ~ fp v i p)).
      { intros Hn En. exists tr', Qn, mn. split; [auto|]. split; [|split].
        - intros v Hv. destruct (Nat.eq_dec v n) as [->|]; [rewrite En; apply Hge; lia|apply Hlt; lia].
        - intros v Hv. apply Hge. lia.
        - intros p. destruct (Hm p) as [(E & v & i & r & G & Hv & Hr)|[E Hr]].
          + left. split; auto. exists v, i, r, G. split; [lia|auto].
          + right. split; auto. intros v i r G Hv Hp HA. destruct (Nat.eq_dec v n) as [->|]; [apply Hn in Hp; congruence|]. apply (Hr v i r G); auto. lia. }
      destruct (P n) as [[[|i r] G]|] eqn:Hp.
      + apply Stay; [congruence|]. unfold BiggerSteps.inst. rewrite Hp. now apply (ri_end _ _ _ _ _ I) in Hp as [-> _].
      + destruct (ri_thr _ _ _ _ _ I _ _ _ _ Hp) as (suf & Gc & mt & E & Hsf & Hpc & R & Hmt). destruct (A n) as [|a l] eqn:EA.
        { apply Stay; [auto|]. simpl in R, E. injection R as <- <-. unfold BiggerSteps.inst. rewrite Hp, Hpc, <- E. reflexivity. }
        rewrite <- EA in *. assert (HA : A n <> []) by congruence.
        destruct suf as [|j suf]; [congruence|].
        assert (Hagree : forall q, fp n i q -> m q = mn q).
        { intros q Hq. destruct (Hm q) as [(_ & v & iv & rv & Gv & Hv & Hpv & HAv & Hf)|[-> _]]; auto. exfalso.
          refine (sections_apart _ _ _ _ _ I n i r G j suf Gc v iv rv Gv q Hp E _ _ Hpv HAv Hq Hf); [congruence|lia]. }
        assert (Hsub : forall k q, In k (A n) -> accs k q -> fp n i q).
        { intros k q Hk. apply (accs_fp Z n i k q); [eapply src_head; eauto|]. rewrite E. apply in_or_app; auto. }
        pose proof (run_frame (fp n i) n (A n) Hsub G m mn Hagree) as F. rewrite R in F.
        destruct (run n (A n) G mn) as [G3 m3| |] eqn:E3; try contradiction. destruct F as [<- F].
        assert (Hq : Qn n = Some (ins n i ++ inss n r, G)) by (rewrite Hge by lia; unfold BiggerSteps.inst; now rewrite Hp).
        assert (He : forall u Gu, P u = Some ([], Gu) -> Qn u = Some ([], Gu)).
        { intros u Gu Hu. destruct (Nat.lt_ge_cases u n) as [Hl|Hl]; [rewrite Hlt by auto; now apply (ri_end _ _ _ _ _ I) in Hu as [-> _]|].
          rewrite Hge by auto. unfold BiggerSteps.inst. now rewrite Hu. }
        destruct (done_tsteps _ _ _ _ _ _ _ _ _ Qn mn Gc m3 _ I Hp HA E Hsf E3 Hq He) as (Q' & Ht & Hq' & Ho).
        destruct (steps_tsteps _ _ _ _ _ Ht _ _ _ Sn) as [tr2 S2]. exists tr2, Q', m3. split; [auto|]. split; [|split].
        * intros v Hv. destruct (Nat.eq_dec v n) as [->|]; [congruence|]. rewrite Ho by auto. apply Hlt. lia.
        * intros v Hv. rewrite Ho by lia. apply Hge. lia.
        * intros q. destruct (fp_dec n i q) as [D|D].
          { left. split; [rewrite <- F, <- Hmt; auto|]. exists n, i, r, G. split; [lia|auto]. }
          assert (Em : m3 q = mn q) by (eapply run_outside; [|exact E3]; intros k Hk Hkq; apply D; eauto). rewrite Em.
          destruct (Hm q) as [(E4 & v & iv & rv & Gv & Hv & Hr)|[E4 Hr]].
          { left. split; auto. exists v, iv, rv, Gv. split; [lia|auto]. }
          right. split; auto. intros v iv rv Gv Hv Hpv HAv. destruct (Nat.eq_dec v n) as [->|]; [rewrite Hp in Hpv; injection Hpv as <- <- <-; auto|].
          apply (Hr v iv rv Gv); auto. lia.
      + apply Stay; [congruence|]. unfold BiggerSteps.inst. rewrite Hp. now apply (ri_none _ _ _ _ _ I) in Hp as [-> _]. }
  destruct (N Z) as (tr' & Qn & mn & Sn & Hlt & Hge & Hm). exists tr', Qn, mn. split; auto. split.
  - intros t. destruct (Nat.lt_ge_cases t Z) as [Hl|Hl]; auto. rewrite Hge by auto. unfold BiggerSteps.inst.
    destruct (P t) as [[li G]|] eqn:Hp; [apply (wf_id _ _ W) in Hp; lia|]. now apply (ri_none _ _ _ _ _ I) in Hp as [-> _].
  - intros p. destruct (Hm p) as [[E _]|[E Hn]]; auto. rewrite E. symmetry. apply (ri_mem _ _ _ _ _ I).
    intros t i r G Hp HA. apply (Hn t i r G); auto. eapply wf_id; eauto.
Qed.

(** Lemma 8: a run is, up to the order of its steps, one of bigger steps, followed by the steps of the sections that are not completed. *)
Theorem instrumentation_lemma_8 P0 m0 Q tr Pc mc : WF P0 m0 -> (forall t, Q t = inst P0 t) -> steps Q m0 tr Pc mc ->
  exists P m tr' Pc' mc', bigs P0 m0 P m /\ suffix P Pc /\ steps (inst P) m tr' Pc' mc' /\ (forall t, Pc' t = Pc t) /\ meq mc' mc.
Proof.
  intros W E H. destruct (RI_steps _ _ _ _ _ _ W E H) as (P & m & A & B & I). destruct (RI_remake _ _ _ _ _ I) as (tr' & Pc' & mc' & R).
  exists P, m, tr', Pc', mc'. split; auto. split; auto. eapply RI_suffix; eauto.
Qed.

(** Lemma 9: a run that ends is one of bigger steps, with the same environments and the same memory. *)
Theorem instrumentation_lemma_9 P0 m0 Q tr Pc mc : WF P0 m0 -> (forall t, Q t = inst P0 t) -> steps Q m0 tr Pc mc -> final Pc ->
  exists P m, bigs P0 m0 P m /\ final P /\ (forall t, Pc t = inst P t) /\ meq mc m.
Proof.
  intros W E H F. destruct (RI_steps _ _ _ _ _ _ W E H) as (P & m & A & B & I). exists P, m. split; auto.
  assert (FP : forall t i r G, P t <> Some (i :: r, G)).
  { intros t i r G Hp. destruct (ri_thr _ _ _ _ _ I _ _ _ _ Hp) as (suf & Gc & mt & _ & Hs & Hpc & _). apply F in Hpc. destruct suf; [congruence|discriminate]. }
  split; [intros t [|i r] G Hp; auto; now elim (FP t i r G)|]. split.
  - intros t. unfold BiggerSteps.inst. destruct (P t) as [[[|i r] G]|] eqn:Hp.
    + now apply (ri_end _ _ _ _ _ I) in Hp as [-> _].
    + now elim (FP t i r G).
    + now apply (ri_none _ _ _ _ _ I) in Hp as [-> _].
  - intros p. apply (ri_mem _ _ _ _ _ I). intros t i r G Hp. now elim (FP t i r G).
Qed.

(** Lemma 10: a run that fails is one of bigger steps, the last of which fails. More than the paper says: they lead to where the run is, up to the
    sections that are not completed. *)
Theorem instrumentation_lemma_10 P0 m0 Q tr Pc mc t o : WF P0 m0 -> (forall t, Q t = inst P0 t) -> steps Q m0 tr Pc mc -> step t Pc mc o Err ->
  exists P m, bigs P0 m0 P m /\ suffix P Pc /\ big t P m Err.
Proof.
  intros W E H St. destruct (RI_steps _ _ _ _ _ _ W E H) as (P & m & A & B & I). exists P, m. split; auto.
  split; [eapply RI_suffix; eauto|exact (RI_step _ _ _ _ _ _ _ _ I St)].
Qed.

(** ** The steps that set up memory *)

Lemma start_steps prog tr Pc mc : wf_prog Z prog -> steps (init (instrument Z prog)) m0 tr Pc mc ->
  (exists done rest, start Z = done ++ rest /\ rest <> [] /\ Pc 0 = Some (rest ++ inss 0 prog, G0) /\ (forall v, v <> 0 -> Pc v = None) /\ run 0 done G0 m0 = Ok G0 mc) \/
  (exists Q m tr', steps Q m tr' Pc mc /\ (forall t, Q t = inst (init prog) t) /\ started Z m).
Proof.
  intros (HZ & _) H. induction H as [|tr Pc mc t o Pc' mc' H IH St].
  - left. exists [], (start Z). split; [auto|]. split; [|split; [reflexivity|split; [|reflexivity]]].
    + unfold start. destruct Z; [lia|discriminate].
    + intros v Hv. unfold init. now rewrite upd_other.
  - destruct IH as [(done & rest & E & Hr & Hp & Ho & R)|(Q & m & tr' & S1 & Hq)]; [|right; exists Q, m; eexists; split; [eapply steps_snoc; eauto|auto]].
    destruct (step_exec _ _ _ _ _ St) as (j & r & G & Hpt & _ & _ & G' & Ex & ->).
    assert (t = 0) by (destruct (Nat.eq_dec t 0) as [|Hne]; auto; rewrite (Ho t Hne) in Hpt; discriminate). subst t.
    destruct rest as [|s rest]; [congruence|]. rewrite Hp in Hpt. injection Hpt as -> <- <-.
    assert (Hj : In j (start Z)) by (rewrite E; apply in_or_app; simpl; auto). apply in_map_iff in Hj as (k & <- & _). simpl in Ex. injection Ex as <- <-. simpl.
    assert (R' : run 0 (done ++ [Store (Num 1) (MC k k)]) G0 m0 = Ok G0 (setm mc (MC k k) 1)) by (rewrite run_app, R; reflexivity).
    destruct rest as [|s rest].
    + right. rewrite <- E in R'. exists (upd Pc 0 (Some (inss 0 prog, G0))), (setm mc (MC k k) 1), []. split; [constructor|]. split.
      * intros v. unfold BiggerSteps.inst, init, upd. destruct (Nat.eqb_spec v 0) as [->|Hv]; auto.
      * destruct (run_start Z) as (m & Er & Hs). rewrite R' in Er. injection Er as ->. exact Hs.
    + left. exists (done ++ [Store (Num 1) (MC k k)]), (s :: rest). split; [rewrite E, <- app_assoc; reflexivity|]. split; [discriminate|].
      split; [apply upd_same|]. split; [|exact R']. intros v Hv. rewrite upd_other; auto.
Qed.

Lemma start_ends prog tr Pc mc : wf_prog Z prog -> steps (init (instrument Z prog)) m0 tr Pc mc -> final Pc \/ (exists t o, step t Pc mc o Err) ->
  exists Q m tr', steps Q m tr' Pc mc /\ (forall t, Q t = inst (init prog) t) /\ started Z m.
Proof.
  intros Hw H C. destruct (start_steps _ _ _ _ Hw H) as [(done & rest & E & Hr & Hp & Ho & R)|K]; auto. exfalso. destruct rest as [|s rest]; [congruence|].
  destruct C as [F|(t & o & St)]; [apply F in Hp; discriminate|].
  destruct (step_exec _ _ _ _ _ St) as (j & r & G & Hpt & _ & _ & Ex).
  assert (t = 0) by (destruct (Nat.eq_dec t 0) as [|Hne]; auto; rewrite (Ho t Hne) in Hpt; discriminate). subst t.
  rewrite Hp in Hpt. injection Hpt as -> _ _.
  assert (Hj : In j (start Z)) by (rewrite E; apply in_or_app; simpl; auto). apply in_map_iff in Hj as (k & <- & _). discriminate.
Qed.
End Reorder.
