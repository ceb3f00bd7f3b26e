"""What other tools call: each module speaks the language of one of them. None is imported before it is asked for."""
