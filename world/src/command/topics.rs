//! `[pure]` The help texts. Plain ASCII in short lines and whole sentences, so that they read well
//! aloud; what is to be typed stands in the sentence.

use super::help::Topic;

/// All topics but the index, in the order in which the beginning of a word is tried.
pub(super) const TOPICS: &[Topic] = &[
    topic(
        "start",
        "Welcome. You are in a world of rooms that you share with others.\n\
         Type look to see where you are. Type north, or just n, to go north.\n\
         Type say hello to speak to all who are in the room.\n\
         Type channels for where all can talk, wherever they are.\n\
         Type who to see who plays. Type get lantern to take a lantern.\n\
         Most words can be shortened: l is look, i is inventory.\n\
         More: help moving, help talking, help things, help screenreaders.\n\
         Type quit to leave. Type help for the list of all words.",
    ),
    topic(
        "moving",
        "Moving: north, east, south, west, northeast, northwest, southeast,\n\
         southwest, up, down, in and out.\n\
         Short: n, e, s, w, ne, nw, se, sw, u and d. Enter is in, leave is out.\n\
         You can also type go and the direction.\n\
         The exits stand below the text of a room. Type exits for where they lead.\n\
         Type look and a direction to look there before you go.",
    ),
    topic(
        "talking",
        "Talking: to all in the room with say, or a single quote: 'hello.\n\
         To one person, wherever they are, with tell: tell ann hello.\n\
         To the one who told you something last with reply: reply hello.\n\
         To show what you do, use emote, or a colon: :waves.\n\
         To all who are on a channel, wherever they are: chat hello.\n\
         See help say, help tell, help reply, help emote, help channels, help ignore\n\
         and help afk.",
    ),
    topic(
        "things",
        "Things: take one with get, lay it down with drop, hand it over with give.\n\
         Inventory, or i, lists what you carry.\n\
         Name a thing by one or more of its words: brass lantern, or lantern.\n\
         Three letters of a word are enough. Of several, 2.lantern is the second.\n\
         Quotes keep words together: give 'brass lantern' to ann.",
    ),
    topic(
        "screenreaders",
        "Screen readers: type screenreader on, here or at the name prompt.\n\
         Then every text comes one thing a line and in whole sentences, without\n\
         signs or columns. What colour says is in the words too; color off ends it.\n\
         Nothing is drawn, and nothing that is on the screen changes later.\n\
         Exits are a sentence after the text of a room. Type exits to hear them\n\
         again with where they lead. Type look to hear the room again.",
    ),
    topic(
        "look",
        "Look: see the room you are in. Short: l.\n\
         Look at a thing or a person: look at lantern, or look ann.\n\
         Look through an exit: look north.",
    ),
    topic(
        "examine",
        "Examine: see a thing or a person close by. Short: x.\n\
         Type examine lantern, or x lantern.",
    ),
    topic(
        "exits",
        "Exits: lists the ways out of the room and where they lead.",
    ),
    topic(
        "who",
        "Who: lists those who play, here first and then in other games.\n\
         Type who an for names that begin with an, who @othergame for one game alone.",
    ),
    topic(
        "say",
        "Say: speak to all who are in the room. Short: a single or double quote.\n\
         Type say hello, or 'hello.",
    ),
    topic(
        "tell",
        "Tell: speak to one person, wherever they are. Nobody else hears it.\n\
         Type tell ann hello. Another word for it is whisper.\n\
         To a player of another game: tell bo@othergame hello. The beginnings of\n\
         both names are enough; quotes keep names with blanks together, as in\n\
         tell 'bo derek@othergame' hello. See also help gossip.",
    ),
    topic(
        "reply",
        "Reply: answer the one who told you something last. Type reply hello.\n\
         It also goes on with a player of another game whom you told something.",
    ),
    topic(
        "emote",
        "Emote: show what you do. Short: a colon.\n\
         When Ann types emote waves, or :waves, all in the room read: Ann waves",
    ),
    topic(
        "channels",
        "Channels: talk with all who are on a channel, wherever they are.\n\
         Type channels for the list of them, and on which you are.\n\
         Type the name of a channel and your words, as in: chat hello.\n\
         Type the name alone to read what was said there last.\n\
         Type channel join chat to be on it, channel leave chat to be on it no more,\n\
         channel who chat for who is on it. Who speaks on a channel joins it.\n\
         Some are heard in other games too; the list says which. There a speaker\n\
         reads like Bo@Othergame. See help ignore for whom you want to read no more.",
    ),
    topic(
        "ignore",
        "Ignore: read nothing more that somebody says on channels or tells you.\n\
         Type ignore ann, ignore bo@othergame, or ignore @othergame for a whole game.\n\
         Type ignore alone for the list, and unignore ann to read them again.\n\
         They are not told. What is said in the room with you, you read all the same.",
    ),
    topic(
        "gossip",
        "Gossip: a network that joins this game with others.\n\
         Some channels are heard there too: type channels for the list, and\n\
         channel join gossip to be on one. A speaker there reads like Bo@Othergame.\n\
         Type who for who plays there, games for the games, and\n\
         tell bo@othergame hello to speak to one of them; reply answers.\n\
         Type ignore bo@othergame, or ignore @othergame, to read them no more, and\n\
         notices off to be told no more who comes and goes there.\n\
         When the network is out of reach you read it once; your words then stay here.",
    ),
    topic(
        "games",
        "Games: lists the other games on the network, with how to connect to them.\n\
         Type games al for those whose names begin with al. See also help gossip.",
    ),
    topic(
        "notices",
        "Notices: whether you are told who comes and goes in other games.\n\
         Type notices on or notices off; notices alone tells which it is.",
    ),
    topic(
        "get",
        "Get: take a thing that lies here. Also: take, pick up.\n\
         Type get lantern. See also help things.",
    ),
    topic(
        "drop",
        "Drop: lay down a thing that you carry. Type drop lantern.",
    ),
    topic(
        "give",
        "Give: hand a thing that you carry to somebody who is here.\n\
         Type give lantern to ann.",
    ),
    topic("inventory", "Inventory: lists what you carry. Short: i."),
    topic(
        "go",
        "Go: walk in a direction. Type go north, or just north, or n.\n\
         See also help moving.",
    ),
    topic(
        "help",
        "Help: explains words and topics. Short: a question mark.\n\
         Type help for the list, help say for the word say.",
    ),
    topic(
        "score",
        "Score: tells who and where you are and how long you have played.",
    ),
    topic(
        "afk",
        "Afk: tell others that you are away from the keyboard. Also: away.\n\
         Type afk, or afk at lunch. Type afk again when you are back.",
    ),
    topic(
        "color",
        "Color: choose how many colours you see.\n\
         Type color off, color 8, color 16, color 256 or color true.\n\
         Type color auto for what your client says it can show.",
    ),
    topic(
        "screenreader",
        "Screenreader: turns the mode for screen readers on or off.\n\
         Type screenreader on, or screenreader off. See help screenreaders.",
    ),
    topic(
        "resume",
        "Resume: shows a token. Type resume and the token at the name prompt of a\n\
         new connection, and your session goes on there. It works once, and then\n\
         you are shown the next. Keep it to yourself.",
    ),
    topic(
        "password",
        "Password: change the password of your account. You are asked for the old\n\
         one and twice for the new one. Type no password on the same line.",
    ),
    topic(
        "quit",
        "Quit: leave the game. Type the whole word. You will be back where you were.",
    ),
    staff(
        "staff",
        "Staff: goto, kick, ban, bridge, crash and shutdown.\n\
         Goto, kick and ban act at once; shutdown stops the node for everybody.\n\
         Crash makes a room, a mob, a channel or a session fail; it comes back.\n\
         Bridge is for the network of games.\n\
         See help goto, help kick, help ban, help bridge, help crash and help shutdown.",
    ),
    staff(
        "goto",
        "Goto: stand beside a player or in a room at once.\n\
         Type goto ann, or goto town/square.",
    ),
    staff(
        "kick",
        "Kick: remove a player from the game. The reason is shown to them.\n\
         Type kick ann spamming.",
    ),
    staff(
        "ban",
        "Ban: keep an account or an address out.\n\
         Type ban account ann 7d spamming, or ban address 192.0.2.1 12h scanner.\n\
         Times: 30m, 12h, 7d or forever. Without a time it is for ever.",
    ),
    staff(
        "bridge",
        "Bridge: the way to other games. Type bridge for how it is.\n\
         Type bridge off to leave the network and bridge on to come back; a restart\n\
         of the node comes back too. Bridge retry connects now, bridge reload reads\n\
         the credentials again.\n\
         Type bridge mute ann spamming, and ann can speak to other games no more;\n\
         she reads the reason. Type bridge block othergame, and nothing of it is read\n\
         here. Bridge unmute and bridge unblock end that; bridge list shows all.",
    ),
    staff(
        "crash",
        "Crash: make a process fail, to see that it comes back.\n\
         Type crash room, crash mob cat, crash channel chat, crash session or\n\
         crash session ann.",
    ),
    staff(
        "shutdown",
        "Shutdown: stop this node. Players are told and saved first.\n\
         Type the whole word.",
    ),
];

const fn topic(name: &'static str, text: &'static str) -> Topic {
    Topic {
        name,
        staff: false,
        text,
    }
}

const fn staff(name: &'static str, text: &'static str) -> Topic {
    Topic {
        name,
        staff: true,
        text,
    }
}
