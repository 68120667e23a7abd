//! The tests that run on both databases.

/// Makes a test of each function, for a file and for a server.
macro_rules! on_both {
    ($($module:ident { $($test:ident,)* })*) => {
        mod sqlite {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    crate::$module::$test(&crate::support::Place::file()).await;
                }
            )*)*
        }

        mod postgres {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    if let Some(place) = crate::support::Place::server() {
                        crate::$module::$test(&place).await;
                    }
                }
            )*)*
        }
    };
}

on_both! {
    accounts {
        of_many_who_want_one_name_at_once_one_gets_it_whatever_the_case,
        an_account_keeps_its_password_login_and_role,
        characters_are_unique_among_all_accounts_and_bounded_in_one,
        a_saved_character_comes_back_as_it_was,
        a_save_of_several_is_all_or_none_and_spoils_no_neighbour,
        a_token_is_redeemed_once_by_whoever_is_first_and_never_after_its_time,
        bans_are_replaced_lifted_and_end_in_time,
        what_the_staff_did_is_read_newest_first,
    }
    failures {
        writes_park_while_the_database_fails_and_drain_in_order_when_it_works_again,
        resets_that_parked_make_no_more_than_one_would,
        a_full_park_refuses_new_writes_and_keeps_the_old_ones,
        a_stop_while_the_database_fails_answers_what_is_lost,
        a_stop_commits_everything_that_was_posted_before_it,
        full_queues_refuse_at_once_and_every_request_is_answered_once,
        a_row_that_nobody_wrote_is_a_fault_of_that_read_only,
        reads_answer_an_error_while_the_file_cannot_be_read,
        a_reply_that_panics_harms_neither_the_store_nor_its_neighbours,
    }
    fences {
        a_zone_is_claimed_under_the_highest_epoch,
        a_zone_that_was_taken_over_writes_nothing,
        a_session_that_was_replaced_writes_nothing,
        a_write_of_a_zone_for_a_character_needs_both,
        a_claim_fences_what_is_posted_behind_it_in_the_same_group,
        the_floors_of_one_zone_are_read_in_order_with_what_lies_in_containers,
    }
    founding {
        the_first_cluster_of_a_database_begins_with_the_lowest_epochs,
        a_later_cluster_takes_the_database_from_an_earlier_one_at_once,
    }
    items {
        of_many_who_reach_for_one_item_exactly_one_gets_it,
        writes_are_made_and_answered_in_the_order_in_which_they_were_posted,
        a_write_that_fails_fails_alone_in_its_group,
        a_transfer_names_the_owner_before_it_and_a_place_that_exists,
        a_container_takes_its_content_along_and_never_holds_itself,
        containers_stand_in_each_other_only_so_deep,
        items_are_made_all_or_none_with_their_prototype_and_origin,
        a_reset_tops_up_what_it_made_wherever_that_is,
    }
    kill {
        a_kill_in_the_middle_of_transfers_loses_and_doubles_nothing,
    }
    measure {
        sixty_four_writers_transfer_items_at_once,
    }
    network {
        a_rule_holds_over_a_restart_until_it_is_lifted_whatever_the_case,
        a_new_rule_is_refused_when_there_are_too_many_and_an_old_one_is_replaced,
    }
}
