//! Memory orders as the formats write them: one list of five, of which each kind of operation allows some.

use crate::{FenceOrder, LoadOrder, RmwOrder, StoreOrder};

/// A memory order of some operation. The discriminant is its number in the binary format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    pub(super) const ALL: [Order; 5] =
        [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

    pub(super) fn name(self) -> &'static str {
        match self {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        }
    }

    /// The order of that name, or what to say about a name that is none.
    pub(super) fn from_name(name: &[u8]) -> Result<Order, String> {
        let known = Order::ALL.into_iter().find(|o| o.name().as_bytes() == name);
        known.ok_or_else(|| {
            let found = super::message::excerpt(name);
            format!("unknown memory order {found}; there are relaxed, acquire, release, acq_rel and seq_cst")
        })
    }
}

/// Conversions between the common list and the orders that one kind of operation allows.
macro_rules! allowed {
    ($order:ident, $what:literal, [$($variant:ident)*]) => {
        impl From<$order> for Order {
            fn from(order: $order) -> Order {
                match order { $($order::$variant => Order::$variant),* }
            }
        }

        impl TryFrom<Order> for $order {
            type Error = String;

            fn try_from(order: Order) -> Result<$order, String> {
                match order {
                    $(Order::$variant => Ok($order::$variant),)*
                    _ => {
                        let allowed = [$(Order::$variant.name()),*].join(", ");
                        Err(format!("{} cannot be {}; it can be {allowed}", $what, order.name()))
                    }
                }
            }
        }
    };
}

allowed!(LoadOrder, "an atomic load", [Relaxed Acquire SeqCst]);
allowed!(StoreOrder, "an atomic store", [Relaxed Release SeqCst]);
allowed!(FenceOrder, "a fence", [Acquire Release AcqRel SeqCst]);

// A read-modify-write allows all five, so its conversion cannot fail.
impl From<RmwOrder> for Order {
    fn from(order: RmwOrder) -> Order {
        match order {
            RmwOrder::Relaxed => Order::Relaxed,
            RmwOrder::Acquire => Order::Acquire,
            RmwOrder::Release => Order::Release,
            RmwOrder::AcqRel => Order::AcqRel,
            RmwOrder::SeqCst => Order::SeqCst,
        }
    }
}

impl From<Order> for RmwOrder {
    fn from(order: Order) -> RmwOrder {
        match order {
            Order::Relaxed => RmwOrder::Relaxed,
            Order::Acquire => RmwOrder::Acquire,
            Order::Release => RmwOrder::Release,
            Order::AcqRel => RmwOrder::AcqRel,
            Order::SeqCst => RmwOrder::SeqCst,
        }
    }
}
