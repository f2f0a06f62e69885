//! Static dispatch for a system chosen at run time: dispatch once per corpus or once per sentence, never once per
//! transition.

use std::any::Any;

use super::{ArcEager, ArcHybrid, ArcStandard, Covington, Planar, StackProjective, Swap, System, TwoPlanar};

/// An operation on a system of known type.
///
/// ```
/// use quaich_transition::configuration::Configuration;
/// use quaich_transition::guide::{RandomGuide, run};
/// use quaich_transition::systems::{ArcHybrid, Options, System, Visitor, dispatch};
///
/// struct Parse<'a>(&'a mut Configuration);
///
/// impl Visitor for Parse<'_> {
///     type Output = ();
///     fn visit<S: System + ?Sized>(self, system: &S) {
///         run(system, &mut RandomGuide::new(1, 5), &mut (), 7, self.0); // no dynamic dispatch in the loop
///     }
/// }
///
/// let system: Box<dyn System> = Box::new(ArcHybrid::new(Options::default()));
/// let mut c = Configuration::new();
/// dispatch(&*system, Parse(&mut c));
/// assert_eq!(c.n_transitions(), 14);
/// ```
pub trait Visitor {
    /// The result.
    type Output;

    /// Runs the operation.
    fn visit<S: System + ?Sized>(self, system: &S) -> Self::Output;
}

/// Calls the visitor with the concrete system. Systems that are rarely used for parsing (undirected and modified ones,
/// and `MaltParser`'s) are dispatched dynamically.
pub fn dispatch<V: Visitor>(system: &dyn System, visitor: V) -> V::Output {
    let any: &dyn Any = system;
    macro_rules! visit_if_it_is {
        ($($concrete:ty),*) => {
            $(
                if let Some(system) = any.downcast_ref::<$concrete>() {
                    return visitor.visit(system);
                }
            )*
        };
    }
    visit_if_it_is!(ArcEager, ArcHybrid, ArcStandard, StackProjective, Swap, Planar, TwoPlanar, Covington);
    visitor.visit(system)
}

#[cfg(test)]
mod tests {
    use std::any::type_name;

    use super::super::{Options, SYSTEMS};
    use super::*;

    struct TypeName;

    impl Visitor for TypeName {
        type Output = &'static str;
        fn visit<S: System + ?Sized>(self, _system: &S) -> &'static str {
            type_name::<S>()
        }
    }

    #[test]
    fn common_systems_are_seen_as_what_they_are() {
        let seen = |name: &str| {
            let entry = SYSTEMS.iter().find(|entry| entry.name == name).unwrap();
            dispatch(&*(entry.build)(Options::default()), TypeName).rsplit("::").next().unwrap()
        };
        assert_eq!(
            ["arc-eager", "swap-lazy", "two-planar", "undirected-planar"].map(seen),
            ["ArcEager", "Swap", "TwoPlanar", "System"]
        );
    }
}
