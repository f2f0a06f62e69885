//! Memory that tables live in: whole cache lines, in a mapped model file or in an area of their own.
//!
//! Besides the kernels this is the crate's only module with `unsafe` code: a mapped file is memory
//! that another program could change.

#![allow(unsafe_code, reason = "the system cannot promise that a mapped file stays as it is")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use memmap2::{Mmap, MmapMut, MmapOptions};

/// A cache line of 16-bit cells: what one probe of a table reads.
#[derive(Clone, Copy, Debug, Pod, Zeroable, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u16; 32]);

/// A file as memory.
#[derive(Clone, Debug)]
pub(crate) struct MappedFile(Arc<Mmap>);

impl MappedFile {
    /// Maps a file. All of it is read at once, because its checksum will want that anyway.
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: models are written under another name and renamed when complete (`Sink`), so quaich
        // itself never changes a file that may be mapped. Should another program do so, the bytes
        // that are read are still only ever taken for numbers, all of which are valid, and every
        // place found in them is checked again before it is used.
        let map = unsafe { MmapOptions::new().populate().map(&file)? };
        Ok(Self(Arc::new(map)))
    }

    /// The content.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Cache lines.
pub struct Lines(Area);

enum Area {
    Nothing,
    /// Memory of their own, in large pages where the system gives them.
    Own(MmapMut),
    /// A part of a mapped file.
    Mapped {
        file: MappedFile,
        start: usize,
        n_bytes: usize,
    },
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("len", &self.as_slice().len()).finish_non_exhaustive()
    }
}

impl Lines {
    /// `len` lines of zeros.
    pub fn zeroed(len: usize) -> std::io::Result<Self> {
        if len == 0 {
            return Ok(Self(Area::Nothing));
        }
        let area = MmapMut::map_anon(len * size_of::<Line>())?;
        // Only a hint: without it everything works, a little slower.
        #[cfg(target_os = "linux")]
        let _ = area.advise(memmap2::Advice::HugePage);
        Ok(Self(Area::Own(area)))
    }

    /// Lines copied from their bytes, if those are whole lines.
    pub fn copied(bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(size_of::<Line>()) {
            return None;
        }
        let mut lines = Self::zeroed(bytes.len() / size_of::<Line>()).ok()?;
        bytemuck::cast_slice_mut(lines.as_mut_slice()).copy_from_slice(bytes);
        Some(lines)
    }

    /// Lines that stay where they are, if their bytes are whole lines in the mapped file; copied
    /// if they are elsewhere or across the borders of cache lines.
    pub(crate) fn at(bytes: &[u8], file: Option<&MappedFile>) -> Option<Self> {
        let aligned = bytes.as_ptr().addr().is_multiple_of(align_of::<Line>());
        let place = file.filter(|_| aligned).and_then(|file| {
            let start = bytes.as_ptr().addr().checked_sub(file.bytes().as_ptr().addr())?;
            (start + bytes.len() <= file.bytes().len()).then(|| (file.clone(), start))
        });
        match place {
            Some((file, start)) if bytes.len().is_multiple_of(size_of::<Line>()) => {
                Some(Self(Area::Mapped { file, start, n_bytes: bytes.len() }))
            }
            _ => Self::copied(bytes),
        }
    }

    /// The lines.
    #[inline]
    pub fn as_slice(&self) -> &[Line] {
        match &self.0 {
            Area::Nothing => &[],
            Area::Own(area) => bytemuck::cast_slice(&area[..]),
            Area::Mapped { file, start, n_bytes } => {
                bytemuck::cast_slice(&file.bytes()[*start..*start + *n_bytes])
            }
        }
    }

    /// The lines, to be filled; none if they are in a file.
    pub fn as_mut_slice(&mut self) -> &mut [Line] {
        match &mut self.0 {
            Area::Own(area) => bytemuck::cast_slice_mut(&mut area[..]),
            Area::Nothing | Area::Mapped { .. } => &mut [],
        }
    }
}

impl Clone for Lines {
    /// Copies what is in memory of its own; shares what is in a file.
    fn clone(&self) -> Self {
        match &self.0 {
            Area::Nothing => Self(Area::Nothing),
            Area::Own(area) => Self::copied(area).expect("memory for as many lines again"),
            Area::Mapped { file, start, n_bytes } => {
                Self(Area::Mapped { file: file.clone(), start: *start, n_bytes: *n_bytes })
            }
        }
    }
}
