//! `[pure]` Who the other members are, and which life of each has been seen last.

use super::handshake::{Hello, Mismatch};
use crate::ids::{Incarnation, NodeId};
use crate::transport::Member;
use std::collections::BTreeMap;

/// The other members.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    members: BTreeMap<NodeId, Member>,
    /// The last life of each that is known.
    lives: BTreeMap<NodeId, Life>,
}

#[derive(Clone, Copy, Debug)]
struct Life {
    incarnation: Incarnation,
    /// When its process started; none if it is known from the log alone.
    boot_ms: Option<u64>,
}

impl Known {
    /// These are the members from now on. A life once seen is not forgotten for a lower one.
    pub(crate) fn set(&mut self, members: &[Member]) {
        self.members = members
            .iter()
            .map(|member| (member.node, member.clone()))
            .collect();
        self.lives.retain(|node, _| self.members.contains_key(node));
        for member in members {
            let incarnation = member.incarnation;
            self.rise(member.node, incarnation, None);
        }
    }

    /// The members.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// A member.
    pub(crate) fn member(&self, node: NodeId) -> Option<&Member> {
        self.members.get(&node)
    }

    /// Whether this life of a member may have a wire (still).
    pub(crate) fn stands(&self, node: NodeId, incarnation: Incarnation) -> bool {
        let life = self.lives.get(&node);
        self.members.contains_key(&node) && life.is_none_or(|life| life.incarnation <= incarnation)
    }

    /// Whether a node that says this of itself is the member that it says.
    pub(crate) fn check(&self, node: NodeId, hello: &Hello) -> Result<(), Mismatch> {
        let name = hello.name.clone();
        let Some(member) = self.members.get(&node) else {
            return Err(Mismatch::NotAMember { node, name });
        };
        if member.name != name {
            return Err(Mismatch::OtherName {
                node,
                known: member.name.clone(),
                theirs: name,
            });
        }
        let Some(life) = self.lives.get(&node) else {
            return Ok(());
        };
        if hello.incarnation < life.incarnation {
            return Err(Mismatch::OldLife {
                name,
                known: life.incarnation,
                theirs: hello.incarnation,
            });
        }
        let same = hello.incarnation == life.incarnation;
        match life.boot_ms {
            Some(boot) if same && boot != hello.boot_ms => Err(Mismatch::Twin(name)),
            Some(_) | None => Ok(()),
        }
    }

    /// A member has shown that it lives this life.
    pub(crate) fn saw(&mut self, node: NodeId, hello: &Hello) {
        self.rise(node, hello.incarnation, Some(hello.boot_ms));
    }

    fn rise(&mut self, node: NodeId, incarnation: Incarnation, boot_ms: Option<u64>) {
        let new = Life {
            incarnation,
            boot_ms,
        };
        let life = self.lives.entry(node).or_insert(new);
        if incarnation > life.incarnation {
            *life = new;
        } else if incarnation == life.incarnation {
            life.boot_ms = life.boot_ms.or(boot_ms);
        }
    }
}
