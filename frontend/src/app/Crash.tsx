import { Component, type ReactNode } from "react";
import { FailureNote } from "../design/FailureNote";

/** A fault in one part is shown in its place; the other parts go on. */
export class Crash extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <FailureNote error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}
