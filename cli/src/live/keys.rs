//! Keys of the terminal as keys of the view.

use mayfly_live::Key;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// The view's key; `None` for those it has no use for.
pub(super) fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let held = event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match event.code {
        KeyCode::Char('c') if event.modifiers.contains(KeyModifiers::CONTROL) => Some(Key::Interrupt),
        // Some terminals send this for backspace.
        KeyCode::Char('h') if event.modifiers.contains(KeyModifiers::CONTROL) => Some(Key::Backspace),
        KeyCode::Char(c) if !held => Some(Key::Char(c)),
        KeyCode::Enter => Some(Key::Enter),
        KeyCode::Esc => Some(Key::Escape),
        KeyCode::Backspace => Some(Key::Backspace),
        KeyCode::Tab | KeyCode::BackTab => Some(Key::Tab),
        KeyCode::Up => Some(Key::Up),
        KeyCode::Down => Some(Key::Down),
        KeyCode::PageUp => Some(Key::PageUp),
        KeyCode::PageDown => Some(Key::PageDown),
        KeyCode::Home => Some(Key::Home),
        KeyCode::End => Some(Key::End),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_c_ends_and_other_combinations_are_nothing() {
        let pressed = |code, modifiers| key(KeyEvent::new(code, modifiers));
        assert_eq!(pressed(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Key::Interrupt));
        assert_eq!(pressed(KeyCode::Char('q'), KeyModifiers::CONTROL), None);
        assert_eq!(pressed(KeyCode::Char('q'), KeyModifiers::NONE), Some(Key::Char('q')));
        assert_eq!(pressed(KeyCode::Char('S'), KeyModifiers::SHIFT), Some(Key::Char('S')));
        assert_eq!(pressed(KeyCode::F(1), KeyModifiers::NONE), None);
    }
}
