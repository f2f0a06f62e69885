//! Parser
