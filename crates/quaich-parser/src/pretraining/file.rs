//! The file of a pretrained encoder: the container of model files, with floats.

use std::io::Write;
use std::path::Path;

use quaich_learn::Persist;
use quaich_learn::encoder::{EncoderWeights, Shape};
use quaich_treebank::Sink;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::encoder::PretrainedEncoder;
use crate::container::{self, ENCODER};
use crate::description::PretrainingDescription;
use crate::encoder::Lexicon;
use crate::error::{Error, Result};
use crate::part::{PartReader, PartWriter, Tensor};

/// The JSON of an encoder file.
#[derive(Serialize, Deserialize)]
struct FileDescription {
    #[serde(flatten)]
    description: PretrainingDescription,
    layers: usize,
    units: usize,
}

/// The name of the arrays of weights.
const WEIGHTS: &str = "weights";
/// The limits of sizes in files.
const MAX_LAYERS: usize = 64;
const MAX_UNITS: usize = 1 << 16;

impl PretrainedEncoder {
    /// Writes the file; it appears only when it is complete.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let wrong = |reason: String| Error::ModelFile { file: file.clone(), reason };
        let bytes = self.to_bytes().map_err(wrong)?;
        let mut sink = Sink::create(Some(path))?;
        sink.write_all(&bytes).map_err(Error::Output)?;
        sink.finish()?;
        Ok(())
    }

    fn to_bytes(&self) -> std::result::Result<Vec<u8>, String> {
        let (mut tensors, mut header) = (Vec::<Tensor>::new(), Value::Null);
        let mut part = PartWriter::new(String::new(), &mut tensors, &mut header);
        self.lexicon.save(&mut part);
        part.arrays(WEIGHTS, |arrays| self.weights.save(arrays));
        tensors.sort();
        let description = FileDescription {
            description: self.description.clone(),
            layers: self.n_layers(),
            units: self.n_units(),
        };
        let json = serde_json::to_string(&description).map_err(|error| error.to_string())?;
        container::contain(ENCODER, &json, &tensors).map_err(|error| error.to_string())
    }

    /// Loads the file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let (content, file) = container::read(path.as_ref())?;
        Self::from_bytes(content.bytes(), &file)
    }

    /// Reads the content of a file; `file` is its name in error messages.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self> {
        let wrong = |reason: String| Error::ModelFile { file: file.to_owned(), reason };
        let (json, tensors) = container::open(ENCODER, bytes, file)?;
        container::verify(&json, &tensors, file)?;
        let FileDescription { description, layers, units } = serde_json::from_str(&json)
            .map_err(|error| wrong(format!("its description is invalid: {error}")))?;
        let part = PartReader::new("", &tensors, &Value::Null, None);
        let lexicon = Lexicon::load_pretrained(&part).map_err(|error| wrong(error.to_string()))?;
        if !(1..=MAX_LAYERS).contains(&layers) || !(1..=MAX_UNITS).contains(&units) {
            return Err(wrong("its sizes are invalid".to_owned()));
        }
        let shape = Shape { attributes: lexicon.attributes(), layers, units };
        let arrays = part.arrays(WEIGHTS).map_err(|error| wrong(error.to_string()))?;
        let weights = EncoderWeights::load(shape, &arrays).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { lexicon, weights, description })
    }
}

/// Whether a file is a pretrained encoder, as far as its header tells.
pub fn is_encoder(path: impl AsRef<Path>) -> bool {
    container::read(path.as_ref()).is_ok_and(|(content, _)| container::is_of_kind(ENCODER, content.bytes()))
}
