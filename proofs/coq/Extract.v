(** Extraction to OCaml of the executable detectors, for `proofs/differential`. Naturals become machine integers: traces are short. *)
From Coq Require Import List.
From Deadheat Require Import Trace Exec VectorClock VectorClockRules VerifiedFT FastTrack OnlineRules ChannelTrace HbSets HbSetDetectors.
Require Extraction.
From Coq Require Import ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZInt.

Definition vector_clock_step := estep VectorClock.   Definition vector_clock_init := e0 VectorClock.
Definition multi_join_step := estep (VCj false).     Definition multi_join_init := e0 (VCj false).
Definition fasttrack_step := estep FastTrack.        Definition fasttrack_init := e0 FastTrack.
Definition verifiedft_step := estep VerifiedFT.      Definition verifiedft_init := e0 VerifiedFT.
Definition online_step := estep Online.              Definition online_init := e0 Online.

Definition after_write_step := hstep AfterWrite.     Definition after_write_init := hinit AfterWrite.
Definition all_races_step := hstep AllRaces.         Definition all_races_init := hinit AllRaces.
Definition collected_step := hstep Collected.        Definition collected_init := hinit Collected.
Definition after_write_flagged s x := match hvar AfterWrite s x with None => true | Some _ => false end.
Definition all_races_flagged s x := match hvar AllRaces s x with None => true | Some _ => false end.
Definition collected_flagged s x := match hvar Collected s x with None => true | Some _ => false end.

Extraction Language OCaml.
Extraction "oracle.ml" feasibleb cfeasibleb
  vector_clock_step vector_clock_init multi_join_step multi_join_init fasttrack_step fasttrack_init
  verifiedft_step verifiedft_init online_step online_init
  after_write_step after_write_init after_write_flagged all_races_step all_races_init all_races_flagged
  collected_step collected_init collected_flagged collect.
