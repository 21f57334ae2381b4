// Translation and some extensions of browsers replace the text nodes that React renders by elements, or wrap them. When
// React later removes such a node, or inserts another one before it, `removeChild` and `insertBefore` throw, and the error
// boundary would replace the whole page (https://github.com/facebook/react/issues/11538).

let found = false;

/** Whether a node of this document was found to be moved by something else than React. */
export function hasMovedNodes(): boolean {
  return found;
}

/** The child of a parent that is or contains a node. Null if none does. */
function childWith(parent: Node, node: Node): Node | null {
  let child: Node | null = node;
  while (child && child.parentNode !== parent) child = child.parentNode;
  return child;
}

interface Methods {
  readonly removeChild: (this: Node, child: Node) => Node;
  readonly insertBefore: (this: Node, node: Node, reference: Node | null) => Node;
}

/**
 * Lets `removeChild` and `insertBefore` accept a node that is no child: a removed node is taken from where it is, and a node is
 * inserted before the child that contains the reference, or at the end.
 *
 * What replaced a text stays when React removes or updates the text, because nothing connects the two. So a text that changes
 * must be the only one in its element: React then replaces everything in the element, or removes the element itself.
 */
export function tolerateMovedNodes(): void {
  const { prototype } = Node;
  const { removeChild, insertBefore } = prototype as Methods;
  prototype.removeChild = function <T extends Node>(child: T): T {
    if (child.parentNode === this) return removeChild.call(this, child) as T;
    found = true;
    (child as Node as ChildNode).remove();
    return child;
  };
  prototype.insertBefore = function <T extends Node>(node: T, reference: Node | null): T {
    const isMoved = reference && reference.parentNode !== this;
    if (isMoved) found = true;
    return insertBefore.call(this, node, isMoved ? childWith(this, reference) : reference) as T;
  };
}
