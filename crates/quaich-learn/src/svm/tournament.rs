//! Finding the classes with the most votes with few duels.
//!
//! With n classes there are n(n − 1)/2 duels, but a class that wins all of its own has won, whatever the results of the others. So no
//! class continues that has lost more often than another: of those with the fewest losses, the one with the most wins continues until it
//! loses or has met all others. Finding the best class takes little more than n duels, and the second best as many. Their votes are the
//! same as with all duels.

/// The buffers of a tournament, reused for several rows.
#[derive(Debug, Default)]
pub(super) struct Tournament {
    players: Vec<Player>,
    /// One per duel: the row for which it was last held.
    held: Vec<u32>,
    row: u32,
}

/// The state of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Player {
    losses: u32,
    wins: u32,
    /// The number of opponents it has met on its own turn.
    met: usize,
    is_placed: bool,
}

/// The number of the duel of two ranks, the first below the second.
#[inline]
pub(super) fn duel(n_ranks: usize, first: usize, second: usize) -> usize {
    first * n_ranks - first * (first + 1) / 2 + second - first - 1
}

impl Tournament {
    /// The two ranks among `wanted` with the most votes, the lower rank if several are equal, each with its votes; one if only one is
    /// wanted. `by_strength` has all ranks, those that win most often first, which saves duels; `first_wins` holds a duel.
    pub(super) fn leaders(
        &mut self,
        by_strength: &[u32],
        wanted: &[u32],
        mut first_wins: impl FnMut(usize) -> bool,
    ) -> [Option<(u32, u32)>; 2] {
        let n_ranks = by_strength.len();
        self.begin(n_ranks);
        let mut leaders = [None; 2];
        for leader in &mut leaders {
            *leader = loop {
                let Some(next) = self.next(wanted) else { return leaders };
                if self.is_through(next, n_ranks) {
                    let player = &mut self.players[next as usize];
                    player.is_placed = true;
                    break Some((next, player.wins));
                }
                self.fight(next as usize, by_strength, &mut first_wins);
            };
        }
        leaders
    }

    fn begin(&mut self, n_ranks: usize) {
        self.players.clear();
        self.players.resize(n_ranks, Player::default());
        let n_duels = n_ranks * n_ranks.saturating_sub(1) / 2;
        if self.held.len() != n_duels || self.row == u32::MAX {
            self.held.clear();
            self.held.resize(n_duels, 0);
            self.row = 0;
        }
        self.row += 1;
    }

    fn is_through(&self, rank: u32, n_ranks: usize) -> bool {
        let player = &self.players[rank as usize];
        (player.wins + player.losses) as usize + 1 == n_ranks
    }

    /// Of the wanted ranks without a place: the one that takes the next place if it has met all others, otherwise one that could still
    /// take it.
    fn next(&self, wanted: &[u32]) -> Option<u32> {
        let mut fewest = u32::MAX;
        // Of those with the fewest losses: the lowest rank that has met all others, and the rank with the most wins that has not.
        let (mut through, mut rival): (Option<u32>, Option<u32>) = (None, None);
        let mut most_wins = 0;
        for &rank in wanted {
            let player = &self.players[rank as usize];
            if player.is_placed || player.losses > fewest {
                continue;
            }
            if player.losses < fewest {
                (fewest, through, rival) = (player.losses, None, None);
            }
            if self.is_through(rank, self.players.len()) {
                through = Some(through.map_or(rank, |lowest| lowest.min(rank)));
            } else if rival.is_none() || player.wins > most_wins {
                (rival, most_wins) = (Some(rank), player.wins);
            }
        }
        // With equal losses, a rival with a higher rank comes after one that has met all others.
        let is_ahead = |rank: u32| {
            let player = &self.players[rank as usize];
            !player.is_placed && player.losses == fewest && !self.is_through(rank, self.players.len())
        };
        match (through, rival) {
            (Some(lowest), Some(rival)) if rival > lowest => {
                Some(wanted.iter().copied().find(|&rank| rank < lowest && is_ahead(rank)).unwrap_or(lowest))
            }
            (through, rival) => rival.or(through),
        }
    }

    /// Holds duels until the class loses or has met all others.
    fn fight(&mut self, rank: usize, by_strength: &[u32], first_wins: &mut impl FnMut(usize) -> bool) {
        while let Some(&other) = by_strength.get(self.players[rank].met) {
            self.players[rank].met += 1;
            let other = other as usize;
            if other == rank {
                continue;
            }
            let (first, second) = (rank.min(other), rank.max(other));
            let duel = duel(by_strength.len(), first, second);
            if self.held[duel] == self.row {
                continue;
            }
            self.held[duel] = self.row;
            let (winner, loser) = if first_wins(duel) { (first, second) } else { (second, first) };
            self.players[winner].wins += 1;
            self.players[loser].losses += 1;
            if loser == rank {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg32;

    use super::*;

    #[test]
    fn duels_are_numbered_row_by_row() {
        let all = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        for (number, (first, second)) in all.into_iter().enumerate() {
            assert_eq!(duel(4, first, second), number);
        }
    }

    #[test]
    fn leaders_are_those_of_all_duels() {
        let mut random = Pcg32::seed_from_u64(3);
        let mut tournament = Tournament::default();
        for round in 0..3000 {
            let n_ranks = [1, 2, 3, 4, 7, 30][round % 6];
            // From a clear order to mere chance, with many equal votes.
            let chance = [0, 1, 5][round / 6 % 3];
            let results: Vec<bool> =
                (0..n_ranks * (n_ranks - 1) / 2).map(|_| random.random_range(0..10) >= chance).collect();
            let mut votes = vec![0u32; n_ranks];
            for second in 0..n_ranks {
                for first in 0..second {
                    let wins = results[duel(n_ranks, first, second)];
                    votes[if wins { first } else { second }] += 1;
                }
            }
            let mut ranks: Vec<u32> = (0u32..).take(n_ranks).collect();
            ranks.shuffle(&mut random);
            let wanted: Vec<u32> = ranks.iter().copied().filter(|_| random.random_range(0..4) > 0).collect();
            let mut expected = wanted.clone();
            expected.sort_by_key(|&rank| (std::cmp::Reverse(votes[rank as usize]), rank));
            let expected = [0, 1].map(|at| expected.get(at).map(|&rank| (rank, votes[rank as usize])));
            let mut n_held = 0;
            let found = tournament.leaders(&ranks, &wanted, |duel| {
                n_held += 1;
                results[duel]
            });
            assert_eq!(found, expected);
            assert!(chance > 0 || n_ranks < 30 || n_held * 2 < results.len(), "{n_held} duels");
        }
    }
}
