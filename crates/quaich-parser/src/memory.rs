//! Memory that tables live in: whole cache lines, in large pages where the system gives them.

use bytemuck::{Pod, Zeroable};
use memmap2::MmapMut;

/// A cache line of 16-bit cells: what one probe of a table reads.
#[derive(Clone, Copy, Debug, Pod, Zeroable, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u16; 32]);

/// Cache lines in a memory area of their own, with large pages where the system gives them.
pub struct Lines {
    area: Option<MmapMut>,
    len: usize,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("len", &self.len).finish_non_exhaustive()
    }
}

impl Lines {
    /// `len` lines of zeros.
    pub fn zeroed(len: usize) -> std::io::Result<Self> {
        if len == 0 {
            return Ok(Self { area: None, len });
        }
        let area = MmapMut::map_anon(len * size_of::<Line>())?;
        // Only a hint: without it everything works, a little slower.
        #[cfg(target_os = "linux")]
        let _ = area.advise(memmap2::Advice::HugePage);
        Ok(Self { area: Some(area), len })
    }

    /// Lines from their bytes, if those are whole lines.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if !bytes.len().is_multiple_of(size_of::<Line>()) {
            return None;
        }
        let mut lines = Self::zeroed(bytes.len() / size_of::<Line>()).ok()?;
        bytemuck::cast_slice_mut(lines.as_mut_slice()).copy_from_slice(bytes);
        Some(lines)
    }

    /// The lines.
    #[inline]
    pub fn as_slice(&self) -> &[Line] {
        self.area.as_ref().map_or(&[], |area| bytemuck::cast_slice(&area[..]))
    }

    /// The lines, to be filled.
    pub fn as_mut_slice(&mut self) -> &mut [Line] {
        self.area.as_mut().map_or(&mut [], |area| bytemuck::cast_slice_mut(&mut area[..]))
    }
}
