"""The commands of ``scistudio``, a module each."""
