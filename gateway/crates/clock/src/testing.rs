//! A clock that a test sets.

use std::cell::RefCell;
use std::rc::Rc;

use jiff::Timestamp;

thread_local! {
    static CLOCK: RefCell<Option<Rc<dyn Fn() -> Timestamp>>> = const { RefCell::new(None) };
}

/// Makes `clock` the wall clock of this thread.
pub fn set(clock: impl Fn() -> Timestamp + 'static) {
    CLOCK.set(Some(Rc::new(clock)));
}

pub(super) fn now() -> Option<Timestamp> {
    let clock = CLOCK.with_borrow(Clone::clone);
    clock.map(|clock| clock())
}
