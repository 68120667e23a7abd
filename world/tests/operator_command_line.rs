//! `[edge]` Goal: the command line tells an operator all that is wrong at once, with the right exit
//! status. Method: the real executable, its outputs and its status.

#[cfg(test)]
mod operator;

use operator::{Scratch, run, stderr, stdout};

#[test]
fn config_prints_what_serve_reads_back() {
    let scratch = Scratch::new();
    let first = run(&[
        "config",
        "--telnet",
        "127.0.0.1:5000",
        "--set",
        "save.every=7s",
    ]);
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    let printed = stdout(&first);
    assert!(printed.contains("listen = \"127.0.0.1:5000\"  # from --telnet; the default is"));
    assert!(printed.contains("every = \"7s\"  # from --set"));
    assert!(printed.contains("[players]\n# Whether one may play without an account."));
    let file = scratch.join("belay.toml");
    std::fs::write(&file, &printed).expect("writes");
    let again = run(&["config", "--config", file.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    let values = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| line.split("  #").next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(values(&stdout(&again)), values(&printed));
}

#[test]
fn a_bad_configuration_lists_every_fault_and_exits_64() {
    let scratch = Scratch::new();
    let file = scratch.join("bad.toml");
    std::fs::write(&file, "[telnet]\nlisten = 'nowhere'\n[save]\nevry = '5s'\n").expect("writes");
    let name = file.to_str().unwrap();
    let data = scratch.join("data");
    for command in [&["serve"][..], &["config"][..], &[][..]] {
        let mut arguments = command.to_vec();
        arguments.extend(["--config", name, "--set", "drain.deadline=10"]);
        arguments.extend(["--data", data.to_str().unwrap()]);
        let output = run(&arguments);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(64), "{told}");
        assert!(
            told.starts_with("belay: the configuration has 3 problems:\n"),
            "{told}"
        );
        for part in [
            format!("{name}:2: telnet.listen = \"nowhere\" is not an address with a port"),
            format!("{name}:4: unknown key save.evry; did you mean save.every?"),
            "--set: drain.deadline = \"10\" has no unit".to_owned(),
        ] {
            assert!(told.contains(&part), "{part}\nnot in\n{told}");
        }
        assert!(stdout(&output).is_empty());
    }
    assert!(!data.exists(), "nothing was started or made");
}

#[test]
fn a_configuration_file_that_cannot_be_read_exits_64() {
    let scratch = Scratch::new();
    let missing = scratch.join("missing.toml");
    let binary = scratch.join("binary.toml");
    std::fs::write(&binary, [0xff, 0xfe]).expect("writes");
    let large = scratch.join("large.toml");
    std::fs::write(&large, vec![b'#'; 1024 * 1024 + 1]).expect("writes");
    for file in [missing.as_path(), &binary, &large, scratch.path()] {
        let output = run(&["config", "--config", file.to_str().unwrap()]);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(64), "{told}");
        assert!(told.contains(file.to_str().unwrap()), "{told}");
    }
}

#[test]
fn a_wrong_command_line_exits_64_and_help_exits_0() {
    for arguments in [
        &["srve"][..],
        &["serve", "--tlnet", "x"],
        &["staff"],
        &["backup"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(64), "{}", stderr(&output));
        assert!(stderr(&output).contains("Usage"), "{}", stderr(&output));
    }
    let bad_time = run(&["ban", "add", "account", "ann", "--for", "7"]);
    assert_eq!(bad_time.status.code(), Some(64));
    assert!(
        stderr(&bad_time).contains("has no unit"),
        "{}",
        stderr(&bad_time)
    );
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("Exit status: 64 configuration"));
    assert_eq!(run(&["--version"]).status.code(), Some(0));
}

#[test]
fn without_a_node_the_control_commands_say_so_and_exit_69() {
    let scratch = Scratch::new();
    let data = scratch.path().to_str().unwrap();
    // A socket that nobody listens on, as a killed node leaves it.
    drop(std::os::unix::net::UnixListener::bind(scratch.join("control.sock")).expect("binds"));
    let missing = scratch.join("missing");
    for directory in [data, missing.to_str().unwrap()] {
        for command in [
            &["tree"][..],
            &["staff", "add", "ann"],
            &["staff", "list"],
            &["backup", "copy.db"],
            &["ban", "remove", "address", "192.0.2.7"],
        ] {
            let mut arguments = command.to_vec();
            arguments.extend(["--data", directory]);
            let output = run(&arguments);
            let told = stderr(&output);
            assert_eq!(output.status.code(), Some(69), "{told}");
            assert!(
                told.contains(&format!("no node is running on {directory}\n")),
                "{told}"
            );
        }
    }
}

#[test]
fn generated_content_checks_and_a_fault_in_it_is_found_with_its_place() {
    let scratch = Scratch::new();
    let torus = scratch.join("torus");
    let torus = torus.to_str().unwrap();
    let generate = [
        "content", "generate", "--rooms", "16", "--zones", "2", "--out", torus,
    ];
    let made = run(&generate);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let checked = run(&["check", torus]);
    assert_eq!(checked.status.code(), Some(0), "{}", stderr(&checked));
    assert!(
        stdout(&checked).contains("2 zones, 16 rooms"),
        "{}",
        stdout(&checked)
    );
    let again = run(&generate);
    assert_eq!(again.status.code(), Some(73), "{}", stderr(&again));
    let none = run(&[
        "content", "generate", "--rooms", "7", "--zones", "1", "--out", torus,
    ]);
    assert_eq!(none.status.code(), Some(64), "{}", stderr(&none));

    let file = scratch.join("torus/z0000.toml");
    let text = std::fs::read_to_string(&file)
        .expect("reads")
        .replacen("/r00001", "/nowhere", 1);
    std::fs::write(&file, text).expect("writes");
    let faulty = run(&["check", torus]);
    assert_eq!(faulty.status.code(), Some(65), "{}", stderr(&faulty));
    assert!(
        stdout(&faulty).contains("z0000.toml:"),
        "{}",
        stdout(&faulty)
    );
    let data = scratch.join("data");
    let served = run(&[
        "serve",
        "--content",
        torus,
        "--data",
        data.to_str().unwrap(),
    ]);
    assert_eq!(served.status.code(), Some(65), "{}", stderr(&served));
    assert!(
        stderr(&served).contains("z0000.toml:"),
        "{}",
        stderr(&served)
    );
    assert!(!data.exists(), "nothing was started or made");
}
