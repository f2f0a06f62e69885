//! From a system chosen at run time to code compiled for it: dispatch once a corpus or once a sentence,
//! never once a transition.

use super::{
    ArcEager, ArcHybrid, ArcHybridSwap, ArcStandard, Covington, Planar, StackProjective, Swap, System,
    TwoPlanar,
};

/// What is to be done with a system whose type is known.
///
/// ```
/// use quaich_transition::configuration::Configuration;
/// use quaich_transition::guide::{Chance, run};
/// use quaich_transition::systems::{ArcHybrid, Options, System, Visitor, dispatch};
///
/// struct Parse<'a>(&'a mut Configuration);
///
/// impl Visitor for Parse<'_> {
///     type Output = ();
///     fn visit<S: System>(self, system: &S) {
///         run(system, &mut Chance::new(1, 5), &mut (), 7, self.0); // no dynamic dispatch in the loop
///     }
/// }
///
/// let system: Box<dyn System> = Box::new(ArcHybrid::new(Options::default()));
/// let mut c = Configuration::new();
/// dispatch(&system, Parse(&mut c));
/// assert_eq!(c.n_transitions(), 14);
/// ```
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<S: System>(self, system: &S) -> Self::Output;
}

/// Calls the visitor with the system as what it is. Systems that are rarely parsed with (undirected ones,
/// modified ones, `MaltParser`'s) come as the box, and are dispatched dynamically.
#[allow(clippy::borrowed_box, reason = "the box is a System itself, which a bare trait object is not")]
pub fn dispatch<V: Visitor>(system: &Box<dyn System>, visitor: V) -> V::Output {
    let any = system.as_any();
    if let Some(system) = any.downcast_ref::<ArcEager>() {
        visitor.visit(system)
    } else if let Some(system) = any.downcast_ref::<ArcHybrid>() {
        visitor.visit(system)
    } else if let Some(system) = any.downcast_ref::<ArcHybridSwap>() {
        visitor.visit(system)
    } else if let Some(system) = any.downcast_ref::<ArcStandard>() {
        visitor.visit(system)
    } else if let Some(system) = any.downcast_ref::<StackProjective>() {
        visitor.visit(system)
    } else if let Some(system) = any.downcast_ref::<Swap>() {
        visitor.visit(system)
    } else if let Some(system) = any.downcast_ref::<Planar>() {
        visitor.visit(system)
    } else if let Some(system) = any.downcast_ref::<TwoPlanar>() {
        visitor.visit(system)
    } else if let Some(system) = any.downcast_ref::<Covington>() {
        visitor.visit(system)
    } else {
        visitor.visit(system)
    }
}
