//! Fuzz targets of integrations.

/// The body of a sign-up, parsed as JSON and as a form.
pub fn signup_body(bytes: &[u8]) {
    super::signup::fuzz::body(bytes);
}

#[cfg(test)]
mod tests {
    use colonnade_testing::replay_corpus;

    #[test]
    fn signup_body_corpus_passes() {
        replay_corpus("signup_body", super::signup_body);
    }
}
