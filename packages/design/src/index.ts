/**
 * The design system, the dialog buttons and the words of the bundled site. Its styles are in `css`.
 *
 * @module design
 */
export { Badge, type BadgeProps } from "./Badge.js";
export { Breadcrumbs, type BreadcrumbsProps } from "./Breadcrumbs.js";
export {
  Button,
  type ActionButtonProps,
  type ButtonProps,
  type ButtonStyleProps,
  type LinkButtonProps,
} from "./Button.js";
export { Card, type CardProps } from "./Card.js";
export { classes } from "./classes.js";
export { Dialog, type DialogProps } from "./Dialog.js";
export { Disclosure, type DisclosureProps } from "./Disclosure.js";
export { ExitPage, type ExitPageProps } from "./ExitPage.js";
export { Field, type FieldProps } from "./Field.js";
export { Grid, type GridProps } from "./Grid.js";
export { Notice, type NoticeProps } from "./Notice.js";
export { Prose, type ProseProps } from "./Prose.js";
export { JoinButton, useJoin, type JoinButtonProps, type JoinReason } from "./JoinButton.js";
export { recipientOf, signupOf, type HeaderVariant, type Partner, type Signup } from "./site.js";
