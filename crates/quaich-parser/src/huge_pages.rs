//! Memory that tables live in: whole cache lines, in a model file that was read or in an area of their own.
//!
//! Model files are read, not mapped: a mapped file that another program cuts short kills whoever looks at it, and
//! one that is written over changes under the eyes of a parse. Read into large pages it costs no more time.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use memmap2::MmapMut;

/// A cache line of 16-bit cells: what one probe of a table reads.
#[derive(Clone, Copy, Debug, Pod, Zeroable, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u16; 32]);

/// The content of a file.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// At least as long as the content; none for an empty one.
    area: Option<Arc<MmapMut>>,
    n_bytes: usize,
}

impl Content {
    /// Reads a file. Where its first eight bytes do not promise what is looked for, no more than those are read: the file
    /// may be anything, and have no end.
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

/// Memory for so many bytes, in large pages where the system gives them.
fn area(n_bytes: usize) -> io::Result<MmapMut> {
    let area = MmapMut::map_anon(n_bytes)?;
    // Only a hint: without it everything works, a little slower.
    #[cfg(target_os = "linux")]
    let _ = area.advise(memmap2::Advice::HugePage);
    Ok(area)
}

/// Reads until all is full or the file ends; how much was read.
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

/// Cache lines.
pub(crate) struct Lines(Area);

enum Area {
    Nothing,
    /// Memory of their own, in large pages where the system gives them.
    Own(MmapMut),
    /// Memory of their own, where the system maps no more.
    Heap(Vec<Line>),
    /// A part of a file that was read.
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
        // What cannot be mapped may be had otherwise; if not, the program ends as it does wherever memory is wanting.
        let lines = || vec![Line([0; 32]); len];
        Ok(Self(area(n_bytes).map_or_else(|_| Area::Heap(lines()), Area::Own)))
    }

    /// Lines copied from their bytes, if those are whole lines.
    pub(crate) fn copied(bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(size_of::<Line>()) {
            return None;
        }
        let mut lines = Self::zeroed(bytes.len() / size_of::<Line>()).ok()?;
        bytemuck::cast_slice_mut(lines.as_mut_slice()).copy_from_slice(bytes);
        Some(lines)
    }

    /// Lines that stay where they are, if their bytes are whole lines in the content of a file; copied
    /// if they are elsewhere or across the borders of cache lines.
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

    /// The lines, to be filled; none if they are in a file.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Line] {
        match &mut self.0 {
            Area::Own(area) => bytemuck::cast_slice_mut(&mut area[..]),
            Area::Heap(lines) => lines,
            Area::Nothing | Area::Shared { .. } => &mut [],
        }
    }
}

impl Clone for Lines {
    /// Copies what is in memory of its own; shares what is in a file.
    fn clone(&self) -> Self {
        match &self.0 {
            Area::Nothing => Self(Area::Nothing),
            Area::Own(area) => Self::copied(area).expect("whole lines, and memory for as many again"),
            Area::Heap(lines) => Self(Area::Heap(lines.clone())),
            Area::Shared { file, start, n_bytes } => {
                Self(Area::Shared { file: file.clone(), start: *start, n_bytes: *n_bytes })
            }
        }
    }
}
