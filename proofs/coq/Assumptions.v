(** What each claimed theorem rests on: `cargo xtask proofs` reads these lines and what they print. *)
From Deadheat Require Import PaperTrace VectorClockRules Simulation FastTrackDirect MultiJoin VerifiedFTRules Detector
  ChannelTrace ChannelExact HbSets HbSetDetectors RedCard OnlineRules HandlersRun HandlersLin Exec
  ChannelClocks ChannelDetector PaperV2 BiggerSteps Reordering MovingSections InstrumentTheorems.

Print Assumptions hb_is_paper_hb.
Print Assumptions vectorclock_theorem_1.
Print Assumptions lemma_1_forward.
Print Assumptions lemma_1_backward.
Print Assumptions fasttrack_theorem_2.
Print Assumptions lemma_2.
Print Assumptions fasttrack_direct.
Print Assumptions fasttrack_first_race.
Print Assumptions multijoin_theorem_3.
Print Assumptions verifiedft_theorem_3_1.
Print Assumptions vruns_precise.
Print Assumptions first_race.
Print Assumptions rule_1_forward.
Print Assumptions rule_2_forward.
Print Assumptions psets_exact.
Print Assumptions after_write_precise.
Print Assumptions all_races_precise.
Print Assumptions collected_precise.
Print Assumptions collected_precise_any_gc.
Print Assumptions redcard_theorem_1.
Print Assumptions redcard_every_variable.
Print Assumptions online_precise.
Print Assumptions handlers_linearizable.
Print Assumptions handlers_precise.
Print Assumptions handlers_every_step.
Print Assumptions exec_vector_clock.
Print Assumptions exec_multi_join.
Print Assumptions exec_fasttrack.
Print Assumptions exec_verifiedft.
Print Assumptions exec_online.
Print Assumptions feasibleb_iff.
Print Assumptions cfeasibleb_feasible.
Print Assumptions cfeasibleb_iff.
Print Assumptions clocks_exact.
Print Assumptions channel_precise.
Print Assumptions vector_clock_over_channels.
Print Assumptions fasttrack_over_channels.
Print Assumptions verifiedft_over_channels.
Print Assumptions v2_refines_spec.
Print Assumptions v2_every_step.
Print Assumptions spec_is_rule.
Print Assumptions instrumentation_lemma_3.
Print Assumptions instrumentation_lemma_4.
Print Assumptions instrumentation_lemma_5.
Print Assumptions instrumentation_lemma_6.
Print Assumptions instrumentation_lemma_7.
Print Assumptions instrumentation_lemma_8.
Print Assumptions instrumentation_lemma_9.
Print Assumptions instrumentation_lemma_10.
Print Assumptions instrumentation_theorem_4.
Print Assumptions instrumentation_theorem_5.
Print Assumptions stuck_next_race.
Print Assumptions instrumentation_sound_and_complete.
