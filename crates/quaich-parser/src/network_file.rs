//! The network's arrays as parts of a model file.

use quaich_learn::network::Frozen;
use quaich_learn::network::frozen::{LANES, Pairs};
use quaich_transition::transition::Kind;
use serde::{Deserialize, Serialize};

use crate::memory::{Lines, MappedFile};
use crate::network_engine::NetworkEngine;
use crate::network_engine::dictionary::N_ATTRIBUTES;
use crate::network_engine::parts::NetworkParts;

/// What a description says of a network; the arrays are tensors of the file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetworkDescription {
    /// What the transition network sees.
    pub transition_slots: String,
    /// What the label network sees.
    pub label_slots: String,
    /// The size of the transition network.
    pub transition: Sizes,
    /// The size of the label network.
    pub label: Sizes,
    /// What a nat of the network counts beside a linear model.
    pub weight: f32,
    /// The lead, in nats, from which on the network decides without asking the linear model.
    pub sure: f32,
}

/// The size of a network.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sizes {
    /// Hidden units.
    pub hidden: usize,
    /// Classes.
    pub classes: usize,
    /// What a unit of a score is worth in nats.
    pub scale: f32,
}

/// A named array of a model file.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether it is made of whole cache lines, which are to be used where they lie in the file.
    pub(crate) of_lines: bool,
}

impl Tensor {
    /// An array that is read and copied.
    pub(crate) fn plain(name: String, bytes: Vec<u8>) -> Self {
        Self { name, bytes, of_lines: false }
    }

    /// A table that is used where it lies.
    pub(crate) fn lines(name: String, bytes: Vec<u8>) -> Self {
        Self { name, bytes, of_lines: true }
    }
}

/// Takes an engine apart.
pub(crate) fn write(
    engine: &NetworkEngine,
    (weight, sure): (f32, f32),
    tensors: &mut Vec<Tensor>,
) -> NetworkDescription {
    let parts = engine.parts();
    for (i, keys) in parts.keys.iter().enumerate() {
        let bytes = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
        tensors.push(Tensor::plain(format!("network.keys.{i}"), bytes));
    }
    let mut size = |name: &str, (frozen, rows): &(Frozen, Lines)| {
        let bytes = bytemuck::cast_slice(rows.as_slice()).to_vec();
        tensors.push(Tensor::lines(format!("network.{name}.rows"), bytes));
        let mut push = |array: &str, bytes: Vec<u8>| {
            tensors.push(Tensor::plain(format!("network.{name}.{array}"), bytes));
        };
        push("first_row", frozen.first_row.iter().flat_map(|n| n.to_le_bytes()).collect());
        push("stride", frozen.stride.iter().flat_map(|n| n.to_le_bytes()).collect());
        push("bias", frozen.bias.iter().flat_map(|n| n.to_le_bytes()).collect());
        push(
            "output",
            frozen.output.as_flattened().as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect(),
        );
        push("output_bias", frozen.output_bias.iter().flat_map(|n| n.to_le_bytes()).collect());
        Sizes { hidden: frozen.hidden, classes: frozen.classes, scale: frozen.scale }
    };
    let (transition, label) = (size("transition", &parts.transitions), size("label", &parts.labels));
    NetworkDescription {
        transition_slots: parts.transition_slots,
        label_slots: parts.label_slots,
        transition,
        label,
        weight,
        sure,
    }
}

/// Puts an engine together; `get` finds an array of the file. Says what is wrong if it cannot.
pub(crate) fn read<'a>(
    description: &NetworkDescription,
    kinds: Vec<Kind>,
    get: impl Fn(&str) -> Option<&'a [u8]>,
    file: Option<&MappedFile>,
) -> Result<NetworkEngine, String> {
    let find = |name: String| get(&name).ok_or_else(|| format!("there is no part `{name}` in it"));
    let mut keys: [Vec<u64>; N_ATTRIBUTES] = Default::default();
    for (i, keys) in keys.iter_mut().enumerate() {
        *keys = numbers(find(format!("network.keys.{i}"))?, u64::from_le_bytes)?;
    }
    let frozen = |name: &str, sizes: Sizes| -> Result<(Frozen, Lines), String> {
        let array = |array: &str| find(format!("network.{name}.{array}"));
        let rows = Lines::at(array("rows")?, file)
            .ok_or_else(|| "an array of the network has no whole number of rows".to_owned())?;
        let frozen = Frozen {
            hidden: sizes.hidden,
            classes: sizes.classes,
            first_row: numbers(array("first_row")?, u32::from_le_bytes)?,
            stride: numbers(array("stride")?, u32::from_le_bytes)?,
            bias: numbers(array("bias")?, i16::from_le_bytes)?,
            output: numbers(array("output")?, pairs)?,
            output_bias: numbers(array("output_bias")?, i32::from_le_bytes)?,
            scale: sizes.scale,
        };
        Ok((frozen, rows))
    };
    NetworkEngine::from_parts(NetworkParts {
        transition_slots: description.transition_slots.clone(),
        label_slots: description.label_slots.clone(),
        keys,
        transitions: frozen("transition", description.transition)?,
        labels: frozen("label", description.label)?,
        kinds,
    })
    .map_err(|error| error.to_string())
}

/// The weights of a pair of hidden units from their bytes.
fn pairs(bytes: [u8; size_of::<Pairs>()]) -> Pairs {
    bytemuck::cast::<_, [[[u8; 2]; 2]; LANES]>(bytes).map(|pair| pair.map(i16::from_le_bytes))
}

fn numbers<T, const N: usize>(bytes: &[u8], from: impl Fn([u8; N]) -> T) -> Result<Vec<T>, String> {
    let (numbers, rest) = bytes.as_chunks::<N>();
    if rest.is_empty() {
        Ok(numbers.iter().map(|&bytes| from(bytes)).collect())
    } else {
        Err("an array of the network has no whole number of cells".to_owned())
    }
}
