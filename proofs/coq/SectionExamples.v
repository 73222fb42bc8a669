(** Runs of which Lemmas 4 to 6 of `MovingSections.v` speak, with two sections under way: what these suppose can be had, so they are not about nothing. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
From Deadheat Require Import Trace Knowledge Clocks Lang Instrument BiggerSteps Reordering MovingSections.

(** Two threads, with one instruction each, and memory as it is set up for two. *)
Definition both (a b : instr) : pool := upd (upd (fun _ => None) 0 (Some ([a], G0))) 1 (Some ([b], G0)).
Definition set_up : mem := fun p => match p with MC 0 0 | MC 1 1 => 1 | _ => 0 end.

Lemma set_up_started : started 2 set_up.
Proof. intros [x|l|[|[|t]] [|[|o]]|l o|x o|x o|x]; simpl; rewrite ?andb_false_r; auto. Qed.

Lemma both_inv a b t li G : both a b t = Some (li, G) -> t = 0 /\ li = [a] \/ t = 1 /\ li = [b].
Proof. destruct t as [|[|t]]; simpl; intros E; try discriminate; injection E as <- <-; auto. Qed.

(** The accesses and assignments of a program: they spawn nothing, wait for nothing, and have to do with no lock. *)
Definition simple (i : instr) : Prop := src 2 i /\ spawned i = [] /\ waited i = [] /\ forall h, held_ok h [i].

Lemma both_wf a b : simple a -> simple b -> WF 2 (both a b) set_up.
Proof.
  intros (Sa & Pa & Wa & Ha) (Sb & Pb & Wb & Hb). constructor.
  - intros x. now rewrite set_up_started.
  - intros o Ho. repeat split; intros; rewrite set_up_started; auto. destruct (Nat.eqb_spec o t); [lia|auto].
  - intros t li G E. apply both_inv in E as [[-> _]|[-> _]]; lia.
  - intros t li G E. apply both_inv in E as [[_ ->]|[_ ->]]; simpl; auto.
  - intros t li G E. exists []. apply both_inv in E as [[_ ->]|[_ ->]]; split; auto; intros l [].
  - intros t li G E. apply both_inv in E as [[_ ->]|[_ ->]]; unfold spawns; simpl; rewrite ?Pa, ?Pb; split; try constructor; intros u [].
  - intros t li G E. apply both_inv in E as [[_ ->]|[_ ->]]; unfold waits; simpl; rewrite ?Wa, ?Wb; constructor.
  - intros t v li G li' G' _ E E'. apply both_inv in E as [[_ ->]|[_ ->]]; apply both_inv in E' as [[_ ->]|[_ ->]];
    unfold spawns, waits; simpl; rewrite ?Pa, ?Pb, ?Wa, ?Wb; simpl; auto.
Qed.

Ltac one_step := eapply (runs_snoc _ _ []); [constructor|reflexivity|first [eapply S_Lock; reflexivity|eapply S_Load; reflexivity]].
(** A thread has made so many steps of its section. *)
Ltac under_way done := exists done; eexists; split; [reflexivity|split; [discriminate|rewrite ?app_nil_r; reflexivity]].

(** Lemma 4: thread 0 enters its section, thread 1 enters its own, and then thread 0 goes on. *)
Example lemma_4_supposes : exists P0 m0 Q t i li l0 P1 m1 G1 j P2 m2 l P3 m3 rest G3 v k P4 m4,
  WF 2 P0 m0 /\ (forall v, Q v = inst 2 P0 v) /\ src 2 i /\ runs Q m0 l0 P1 m1 /\ P1 t = Some (ins 2 t i ++ li, G1) /\
  runs P1 m1 [(t, j)] P2 m2 /\ runs P2 m2 l P3 m3 /\ P3 t = Some (rest ++ li, G3) /\ rest <> [] /\ runs P3 m3 [(v, k)] P4 m4 /\
  exists a w b p q, In (t, a) ((t, j) :: l ++ [(v, k)]) /\ In (w, b) ((t, j) :: l ++ [(v, k)]) /\ w <> t /\ accs a p /\ accs b q.
Proof.
  exists (both (Load (U 0) (Var 5)) (Store (Num 2) (Var 6))), set_up, (inst 2 (both (Load (U 0) (Var 5)) (Store (Num 2) (Var 6)))), 0, (Load (U 0) (Var 5)), [], [].
  do 3 eexists. exists (Lock (MX 5)). do 2 eexists. exists [(1, Lock (MX 6))]. do 4 eexists. exists 0, (Load Tmp1 (MW 5 0)). do 2 eexists.
  split; [apply both_wf; repeat split; auto|]. split; [auto|]. split; [split; exact I|]. split; [constructor|]. split; [reflexivity|].
  split; [one_step|]. split; [one_step|]. split; [simpl; rewrite app_nil_r; reflexivity|]. split; [discriminate|]. split; [one_step|].
  exists (Lock (MX 5)), 1, (Lock (MX 6)), (MX 5), (MX 6). simpl. auto 6.
Qed.

(** Lemma 5: the same run, seen from its end. *)
Example lemma_5_supposes : exists P0 m0 Q t l1 P1 m1 l2 P2 m2 j li G o R,
  WF 2 P0 m0 /\ (forall v, Q v = inst 2 P0 v) /\ runs Q m0 l1 P1 m1 /\ (forall v k, In (v, k) l1 -> v = t) /\
  runs P1 m1 l2 P2 m2 /\ (forall v k, In (v, k) l2 -> v <> t) /\ P2 t = Some (j :: li, G) /\ step t P2 m2 o R /\ suffix 2 P0 P2 /\
  exists v k p q, In (v, k) l2 /\ accs k p /\ accs j q.
Proof.
  exists (both (Load (U 0) (Var 5)) (Store (Num 2) (Var 6))), set_up, (inst 2 (both (Load (U 0) (Var 5)) (Store (Num 2) (Var 6)))), 0, [(0, Lock (MX 5))].
  do 2 eexists. exists [(1, Lock (MX 6))]. do 7 eexists.
  split; [apply both_wf; repeat split; auto|]. split; [auto|]. split; [one_step|].
  split; [intros v k [[= <- _]|[]]; auto|]. split; [one_step|]. split; [intros v k [[= <- _]|[]]; discriminate|].
  split; [reflexivity|]. split; [eapply S_Load; reflexivity|]. split.
  - intros [|[|v]]; simpl; auto; [under_way [Lock (MX 5)]|under_way [Lock (MX 6)]].
  - exists 1, (Lock (MX 6)), (MX 6), (MW 5 0). simpl. auto.
Qed.

(** Lemma 6: thread 0 completes its section, which is one step, while thread 1 is within its own. *)
Example lemma_6_supposes : exists P0 m0 Q tr P1 m1 t o P2 m2 i r G G' v,
  WF 2 P0 m0 /\ (forall v, Q v = inst 2 P0 v) /\ steps Q m0 tr P1 m1 /\ suffix 2 P0 P1 /\ step t P1 m1 o (Good P2 m2) /\
  P0 t = Some (i :: r, G) /\ P2 t = Some (inss 2 t r, G') /\ v <> t /\ P1 v <> Q v.
Proof.
  exists (both (Assign (U 0) (Num 1)) (Store (Num 2) (Var 6))), set_up, (inst 2 (both (Assign (U 0) (Num 1)) (Store (Num 2) (Var 6)))).
  do 3 eexists. exists 0. do 3 eexists. exists (Assign (U 0) (Num 1)), []. do 2 eexists. exists 1.
  split; [apply both_wf; repeat split; auto|]. split; [auto|]. split; [eapply (steps_snoc _ _ [] _ _ 1); [constructor|eapply S_Lock; reflexivity]|].
  split; [|split; [eapply S_Assign; reflexivity|split; [reflexivity|split; [reflexivity|split; [auto|cbn; discriminate]]]]].
  intros [|[|v]]; simpl; auto; [under_way (@nil instr)|under_way [Lock (MX 6)]].
Qed.
