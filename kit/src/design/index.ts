// The components that every section draws with. They come once, with the shell; their styles stand in kit/design.
export { Badge, type BadgeProps } from "./Badge.js";
export { Breadcrumbs, type BreadcrumbsProps } from "./Breadcrumbs.js";
export { Button, type ActionButtonProps, type ButtonLook, type ButtonProps, type LinkButtonProps } from "./Button.js";
export { Card, type CardProps } from "./Card.js";
export { Dialog, type DialogProps } from "./Dialog.js";
export { Disclosure, type DisclosureProps } from "./Disclosure.js";
export { Field, type FieldProps } from "./Field.js";
export { Grid, type GridProps } from "./Grid.js";
export { Notice, type NoticeProps } from "./Notice.js";
export { Prose, type ProseProps } from "./Prose.js";
