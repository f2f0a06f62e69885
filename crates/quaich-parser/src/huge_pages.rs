//! Memory for tables: whole cache lines, in a model file's content or in allocations of their own, backed by huge pages.
//!
//! Model files are read, not mapped: if another program truncates a mapped file, readers are killed, and if it overwrites the file,
//! tables change during a parse. Reading into huge pages takes no more time.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use memmap2::MmapMut;

/// A cache line of 16-bit cells, the unit of a table lookup.
#[derive(Clone, Copy, Debug, Pod, Zeroable, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u16; 32]);

/// The content of a file.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// At least as long as the content; `None` for an empty file.
    area: Option<Arc<MmapMut>>,
    n_bytes: usize,
}

impl Content {
    /// Reads a file if `is_promising` accepts its first eight bytes; otherwise reads only those, because the file may be anything and
    /// have no end.
    pub(crate) fn read(path: &Path, is_promising: impl FnOnce(u64) -> bool) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut first = Vec::new();
        file.by_ref().take(size_of::<u64>() as u64).read_to_end(&mut first)?;
        if !first.first_chunk().is_some_and(|first| is_promising(u64::from_le_bytes(*first))) {
            return Self::copied(&first);
        }
        let known = file.metadata()?;
        if !known.is_file() {
            file.read_to_end(&mut first)?;
            return Self::copied(&first);
        }
        let length = usize::try_from(known.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut area = area(length.max(first.len()))?;
        area[..first.len()].copy_from_slice(&first);
        let n_bytes = first.len() + fill(&mut file, &mut area[first.len()..])?;
        Ok(Self { area: Some(Arc::new(area)), n_bytes })
    }

    fn copied(bytes: &[u8]) -> io::Result<Self> {
        if bytes.is_empty() {
            return Ok(Self { area: None, n_bytes: 0 });
        }
        let mut area = area(bytes.len())?;
        area[..bytes.len()].copy_from_slice(bytes);
        Ok(Self { area: Some(Arc::new(area)), n_bytes: bytes.len() })
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.area.as_ref().map_or(&[], |area| &area[..self.n_bytes])
    }
}

/// Allocates memory, in huge pages if available.
fn area(n_bytes: usize) -> io::Result<MmapMut> {
    let area = MmapMut::map_anon(n_bytes)?;
    // Only a hint; everything works without it, a little slower.
    #[cfg(target_os = "linux")]
    let _ = area.advise(memmap2::Advice::HugePage);
    Ok(area)
}

/// Reads until the buffer is full or the file ends; returns the number of bytes.
fn fill(file: &mut File, mut area: &mut [u8]) -> io::Result<usize> {
    let wanted = area.len();
    while !area.is_empty() {
        match file.read(area) {
            Ok(0) => break,
            Ok(n) => area = &mut area[n..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(wanted - area.len())
}

/// An array of cache lines.
pub(crate) struct Lines(Area);

enum Area {
    Nothing,
    /// An allocation of its own, in huge pages if available.
    Own(MmapMut),
    /// An allocation on the heap, if mapping fails.
    Heap(Vec<Line>),
    /// A part of a file's content.
    Shared {
        file: Content,
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
    pub(crate) fn zeroed(len: usize) -> io::Result<Self> {
        if len == 0 {
            return Ok(Self(Area::Nothing));
        }
        let n_bytes = len.checked_mul(size_of::<Line>()).ok_or(io::ErrorKind::OutOfMemory)?;
        // Falls back to the heap; if that fails as well, the program aborts as on any failed allocation.
        let lines = || vec![Line([0; 32]); len];
        Ok(Self(area(n_bytes).map_or_else(|_| Area::Heap(lines()), Area::Own)))
    }

    /// Copies lines; `None` if the bytes are not whole lines.
    pub(crate) fn copied(bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(size_of::<Line>()) {
            return None;
        }
        let mut lines = Self::zeroed(bytes.len() / size_of::<Line>()).ok()?;
        bytemuck::cast_slice_mut(lines.as_mut_slice()).copy_from_slice(bytes);
        Some(lines)
    }

    /// Uses lines in place if they are aligned and part of the file's content; copies them otherwise. `None` if the bytes are not whole
    /// lines.
    pub(crate) fn at(bytes: &[u8], file: Option<&Content>) -> Option<Self> {
        let aligned = bytes.as_ptr().addr().is_multiple_of(align_of::<Line>());
        let place = file.filter(|_| aligned).and_then(|file| {
            let start = bytes.as_ptr().addr().checked_sub(file.bytes().as_ptr().addr())?;
            (start + bytes.len() <= file.bytes().len()).then(|| (file.clone(), start))
        });
        match place {
            Some((file, start)) if bytes.len().is_multiple_of(size_of::<Line>()) => {
                Some(Self(Area::Shared { file, start, n_bytes: bytes.len() }))
            }
            _ => Self::copied(bytes),
        }
    }

    /// The lines.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[Line] {
        match &self.0 {
            Area::Nothing => &[],
            Area::Own(area) => bytemuck::cast_slice(&area[..]),
            Area::Heap(lines) => lines,
            Area::Shared { file, start, n_bytes } => {
                bytemuck::cast_slice(&file.bytes()[*start..*start + *n_bytes])
            }
        }
    }

    /// The lines, mutable; empty if they are in a file.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Line] {
        match &mut self.0 {
            Area::Own(area) => bytemuck::cast_slice_mut(&mut area[..]),
            Area::Heap(lines) => lines,
            Area::Nothing | Area::Shared { .. } => &mut [],
        }
    }
}

impl Clone for Lines {
    /// Copies lines that have their own allocation; shares those in a file.
    fn clone(&self) -> Self {
        match &self.0 {
            Area::Nothing => Self(Area::Nothing),
            Area::Own(area) => Self::copied(area).expect("whole lines, and enough memory"),
            Area::Heap(lines) => Self(Area::Heap(lines.clone())),
            Area::Shared { file, start, n_bytes } => {
                Self(Area::Shared { file: file.clone(), start: *start, n_bytes: *n_bytes })
            }
        }
    }
}
