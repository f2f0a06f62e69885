//! Systems that change a part of another system: swap, the undirected systems, modifiers.

use std::fmt::Debug;

use quaich_treebank::tree::Node;

use super::{Labelling, Options, System};
use crate::configuration::Configuration;
use crate::constraints::{GivenArcs, local};
use crate::gold::Gold;
use crate::transition::{Kind, KindSet, Transition};

/// All methods of [`System`]: a variant uses those of its base unless it has its own.
macro_rules! as_in_base {
    ($(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        /// A system that overrides some methods of another one, its base.
        ///
        /// Dynamic oracles and rules for given arcs are not inherited: they do not know what a variant has changed.
        pub trait Variant: Debug + Send + Sync + 'static {
            /// The base system.
            type Base: System + ?Sized;

            /// Returns the system whose methods are inherited.
            fn base(&self) -> &Self::Base;

            $(
                #[doc = concat!("See [`System::", stringify!($name), "`].")]
                #[inline]
                fn $name(&self $(, $argument: $type)*) $(-> $result)? {
                    self.base().$name($($argument),*)
                }
            )*

            /// See [`System::has_dynamic_oracle`].
            fn has_dynamic_oracle(&self) -> bool {
                false
            }

            /// See [`System::consistent`].
            fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet
            where
                Self: Sized,
            {
                local::consistent(self, c, given)
            }
        }

        impl<V: Variant> System for V {
            $(
                #[inline]
                fn $name(&self $(, $argument: $type)*) $(-> $result)? {
                    Variant::$name(self $(, $argument)*)
                }
            )*

            fn has_dynamic_oracle(&self) -> bool {
                Variant::has_dynamic_oracle(self)
            }

            fn consistent(&self, c: &Configuration, given: &mut GivenArcs) -> KindSet {
                Variant::consistent(self, c, given)
            }
        }
    };
}

as_in_base! {
    fn options(&self) -> &Options;
    fn kinds(&self) -> KindSet;
    fn labelling(&self) -> Labelling;
    fn bound(&self, n_tokens: usize) -> usize;
    fn start(&self, c: &mut Configuration, n_tokens: usize);
    fn is_terminal(&self, c: &Configuration) -> bool;
    fn permissible(&self, c: &Configuration) -> KindSet;
    fn arc(&self, c: &Configuration, kind: Kind) -> Option<(Node, Node)>;
    fn apply(&self, c: &mut Configuration, transition: Transition);
    fn finish(&self, c: &mut Configuration);
    fn forced(&self, c: &Configuration) -> Option<Transition>;
    fn fallback(&self, c: &Configuration, permissible: KindSet) -> Transition;
    fn trusts_oracle(&self) -> bool;
    fn prepare(&self, gold: &mut Gold);
    fn oracle(&self, c: &Configuration, gold: &mut Gold) -> Option<Transition>;
    fn optimal(&self, c: &Configuration, gold: &mut Gold) -> KindSet;
}
