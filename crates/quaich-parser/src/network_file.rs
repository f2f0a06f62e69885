//! The network's arrays as parts of a model file.

use quaich_learn::network::frozen::BLOCK;
use quaich_learn::network::{Cells, Frozen};
use quaich_transition::transition::Kind;
use serde::{Deserialize, Serialize};

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
pub(crate) type Tensor = (String, Vec<u8>);

/// Takes an engine apart.
pub(crate) fn write(engine: &NetworkEngine, weight: f32, tensors: &mut Vec<Tensor>) -> NetworkDescription {
    let parts = engine.parts();
    for (i, keys) in parts.keys.iter().enumerate() {
        tensors.push((format!("network.keys.{i}"), keys.iter().flat_map(|key| key.to_le_bytes()).collect()));
    }
    let mut size = |name: &str, frozen: &Frozen| {
        let mut push = |array: &str, bytes: Vec<u8>| tensors.push((format!("network.{name}.{array}"), bytes));
        push("first_row", frozen.first_row.iter().flat_map(|n| n.to_le_bytes()).collect());
        push("stride", frozen.stride.iter().flat_map(|n| n.to_le_bytes()).collect());
        push("rows", frozen.rows.iter().flat_map(|cells| cells.0.map(i8::cast_unsigned)).collect());
        push("bias", frozen.bias.iter().flat_map(|n| n.to_le_bytes()).collect());
        push("output", frozen.output.iter().flat_map(|n| n.to_le_bytes()).collect());
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
    }
}

/// Puts an engine together; `get` finds an array of the file. Says what is wrong if it cannot.
pub(crate) fn read<'a>(
    description: &NetworkDescription,
    kinds: Vec<Kind>,
    get: impl Fn(&str) -> Option<&'a [u8]>,
) -> Result<NetworkEngine, String> {
    let find = |name: String| get(&name).ok_or_else(|| format!("there is no part `{name}` in it"));
    let mut keys: [Vec<u64>; N_ATTRIBUTES] = Default::default();
    for (i, keys) in keys.iter_mut().enumerate() {
        *keys = numbers(find(format!("network.keys.{i}"))?, u64::from_le_bytes)?;
    }
    let frozen = |name: &str, sizes: Sizes| -> Result<Frozen, String> {
        let array = |array: &str| find(format!("network.{name}.{array}"));
        let (rows, rest) = array("rows")?.as_chunks::<BLOCK>();
        if !rest.is_empty() {
            return Err("an array of the network has no whole number of rows".to_owned());
        }
        Ok(Frozen {
            hidden: sizes.hidden,
            classes: sizes.classes,
            first_row: numbers(array("first_row")?, u32::from_le_bytes)?,
            stride: numbers(array("stride")?, u32::from_le_bytes)?,
            rows: rows.iter().map(|row| Cells(row.map(u8::cast_signed))).collect(),
            bias: numbers(array("bias")?, i16::from_le_bytes)?,
            output: numbers(array("output")?, i16::from_le_bytes)?,
            output_bias: numbers(array("output_bias")?, i32::from_le_bytes)?,
            scale: sizes.scale,
        })
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

fn numbers<T, const N: usize>(bytes: &[u8], from: impl Fn([u8; N]) -> T) -> Result<Vec<T>, String> {
    let (numbers, rest) = bytes.as_chunks::<N>();
    if rest.is_empty() {
        Ok(numbers.iter().map(|&bytes| from(bytes)).collect())
    } else {
        Err("an array of the network has no whole number of cells".to_owned())
    }
}
